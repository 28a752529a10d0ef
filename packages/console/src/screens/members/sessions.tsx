import type { SessionPage } from "@signalbox/contract";
import { useState } from "react";
import {
  Badge,
  Button,
  ConfirmDialog,
  Panel,
  Problem,
  showToast,
  SkeletonLines,
  Time,
} from "../../design/index.ts";
import { useAction, usePages } from "../../service/index.ts";
import { browserName } from "./browser-name.ts";
import { useMemberWords } from "./words.ts";

type ListedSession = SessionPage["list"][number];

/** Where one is signed in. */
export function Sessions() {
  const text = useMemberWords();
  const list = usePages("listSessions", { limit: 100 });
  const [ends, setEnds] = useState<ListedSession>();
  const revoke = useAction("revokeSession", {
    changes: ["listSessions"],
    onDone: () => showToast({ title: text.ended }),
  });
  return (
    <Panel flush title={text.sessions} lead={text.sessionsLead}>
      {list.isError ? (
        <Problem error={list.error} onRetry={() => void list.refetch()} />
      ) : list.isPending ? (
        <SkeletonLines className="p-4" lines={3} />
      ) : (
        <ul>
          {list.entries.map((session) => (
            <SessionRow key={session.session_id} session={session} onEnd={() => setEnds(session)} />
          ))}
        </ul>
      )}
      <ConfirmDialog
        open={ends !== undefined}
        onOpenChange={() => setEnds(undefined)}
        title={text.endTitle}
        description={text.endLead}
        confirm={text.endSession}
        onConfirm={() => revoke.mutateAsync({ session_id: ends?.session_id ?? "" })}
      />
    </Panel>
  );
}

function SessionRow({ session, onEnd }: { session: ListedSession; onEnd: () => void }) {
  const text = useMemberWords();
  const known = browserName(session.user_agent);
  const name = known === undefined ? text.unknownBrowser : text.on(known.browser, known.system);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-4 py-3 first:border-t-0">
      <div className="flex min-w-0 flex-[1_1_14rem] flex-col">
        <span className="flex items-center gap-2 text-sm font-medium text-ink" title={session.user_agent}>
          <span className="truncate">{name}</span>
          {session.is_current && <Badge tone="good">{text.thisSession}</Badge>}
        </span>
        <span className="text-xs text-ink-soft">
          {text.signedIn} <Time at={session.create_time} as="short" /> {text.from}{" "}
          <span className="font-mono">{session.address}</span>
        </span>
      </div>
      <span className="text-xs text-ink-faint">
        {text.lastUsed} <Time at={session.last_used_time} />
      </span>
      {!session.is_current && (
        <Button
          size="sm"
          className="ml-auto"
          aria-label={`${text.endSession}: ${name}, ${session.address}`}
          onClick={onEnd}
        >
          {text.endSession}
        </Button>
      )}
    </li>
  );
}
