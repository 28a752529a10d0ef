import type { Passkey } from "@signalbox/contract";
import { useState } from "react";
import { Button, ConfirmDialog, Panel, Problem, showToast, SkeletonLines, Time } from "../../design/index.ts";
import { useAction, useCall } from "../../service/index.ts";
import { usePasskeysWork } from "../../service/passkeys.ts";
import { AddPasskey, RenamePasskey } from "./passkey-dialogs.tsx";
import { usePasskeyWords } from "./passkey-words.ts";

type Asked = { what: "add" } | { what: "rename" | "remove"; passkey: Passkey };

/** One's own keys to sign in with; nothing where this installation or this browser knows none. */
export function Passkeys() {
  const text = usePasskeyWords();
  const works = usePasskeysWork();
  const { data, error, refetch } = useCall("listPasskeys", {}, { enabled: works });
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  const remove = useAction("deletePasskey", {
    changes: ["listPasskeys"],
    onDone: () => showToast({ title: text.removed }),
  });
  if (!works) return null;
  const removes = asked?.what === "remove" ? asked.passkey : undefined;
  return (
    <Panel
      flush
      title={text.title}
      lead={text.lead}
      actions={<Button onClick={() => setAsked({ what: "add" })}>{text.add}</Button>}
    >
      {error !== null ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <SkeletonLines className="p-4" lines={2} />
      ) : data.list.length === 0 ? (
        <p className="px-4 py-3 text-sm text-ink-soft">{text.none}</p>
      ) : (
        <ul>
          {data.list.map((passkey) => (
            <PasskeyRow key={passkey.passkey_id} passkey={passkey} onAsk={setAsked} />
          ))}
        </ul>
      )}
      {asked?.what === "add" && <AddPasskey onClose={close} />}
      {asked?.what === "rename" && <RenamePasskey passkey={asked.passkey} onClose={close} />}
      <ConfirmDialog
        open={removes !== undefined}
        onOpenChange={close}
        title={text.removeTitle(removes?.name ?? "")}
        description={text.removeLead}
        confirm={text.remove}
        onConfirm={() => remove.mutateAsync({ passkey_id: removes?.passkey_id ?? "" })}
      />
    </Panel>
  );
}

function PasskeyRow({ passkey, onAsk }: { passkey: Passkey; onAsk: (asked: Asked) => void }) {
  const text = usePasskeyWords();
  const { name, create_time, last_used_time } = passkey;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-4 py-3 first:border-t-0">
      <div className="flex min-w-0 flex-[1_1_14rem] flex-col">
        <span className="truncate text-sm font-medium text-ink">{name}</span>
        <span className="text-xs text-ink-soft">
          {text.created} <Time at={create_time} as="short" />
        </span>
      </div>
      <span className="text-xs text-ink-faint">
        {last_used_time === null ? (
          text.neverUsed
        ) : (
          <>
            {text.lastUsed} <Time at={last_used_time} />
          </>
        )}
      </span>
      <span className="ml-auto flex gap-2">
        <Button
          size="sm"
          aria-label={`${text.rename}: ${name}`}
          onClick={() => onAsk({ what: "rename", passkey })}
        >
          {text.rename}
        </Button>
        <Button
          size="sm"
          aria-label={`${text.remove}: ${name}`}
          onClick={() => onAsk({ what: "remove", passkey })}
        >
          {text.remove}
        </Button>
      </span>
    </li>
  );
}
