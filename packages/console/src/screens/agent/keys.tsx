import { type Agent, API_KEY_SCOPES, type ApiKey } from "@signalbox/contract";
import { KeyRound, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import {
  Badge,
  Button,
  type Column,
  ConfirmDialog,
  DataTable,
  EmptyState,
  Page,
  Problem,
  showToast,
  Time,
} from "../../design/index.ts";
import { useAction, usePages } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { OneAgent } from "../one-agent.tsx";
import { NewKey } from "./new-key.tsx";

const idOf = (key: ApiKey) => key.key_id;

export function Keys() {
  const text = useScreenWords().agent.keys;
  return (
    <OneAgent layout="full" title={text.title} lead={text.lead}>
      {(agent) => <KeysOf agent={agent} />}
    </OneAgent>
  );
}

function KeysOf({ agent: { agent_id, name } }: { agent: Agent }) {
  const text = useScreenWords().agent.keys;
  const keys = usePages("listApiKeys", { agent_id });
  const [creates, setCreates] = useState(false);
  const [revokes, setRevokes] = useState<ApiKey>();
  const revoke = useAction("revokeApiKey", {
    changes: ["listApiKeys"],
    onDone: () => showToast({ title: text.revokedToast }),
  });
  const columns = useColumns(setRevokes);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = keys;
  return (
    <Page
      layout="full"
      title={text.title}
      beside={<span className="text-sm text-ink-faint">{name}</span>}
      lead={text.lead}
      actions={
        <Button
          tone="primary"
          icon={<Plus className="size-3.5" aria-hidden />}
          onClick={() => setCreates(true)}
        >
          {text.create}
        </Button>
      }
    >
      {keys.isError ? (
        <Problem error={keys.error} onRetry={() => void keys.refetch()} />
      ) : (
        <DataTable
          label={text.title}
          columns={columns}
          rows={keys.entries}
          idOf={idOf}
          loading={keys.isPending}
          onEnd={hasNextPage ? () => void fetchNextPage() : undefined}
          loadingMore={isFetchingNextPage}
          compact={(key) => (
            <div className="flex items-center gap-2">
              <div className="flex min-w-0 flex-1 flex-col">
                <span className="truncate font-medium">{key.name}</span>
                <span className="truncate font-mono text-xs text-ink-faint">{key.prefix}…</span>
              </div>
              <KeyState apiKey={key} />
              <RevokeButton apiKey={key} onRevoke={setRevokes} />
            </div>
          )}
          empty={
            <EmptyState icon={KeyRound} title={text.none} command={text.noneCommand}>
              {text.noneLead}
            </EmptyState>
          }
        />
      )}
      {creates && <NewKey open onOpenChange={setCreates} agentId={agent_id} />}
      <ConfirmDialog
        open={revokes !== undefined}
        onOpenChange={() => setRevokes(undefined)}
        title={text.revokeTitle(revokes?.name ?? "")}
        description={text.revokeLead}
        confirm={text.revoke}
        onConfirm={() => revoke.mutateAsync({ agent_id, key_id: revokes?.key_id ?? "" })}
      />
    </Page>
  );
}

function isExpired({ expire_time }: ApiKey): boolean {
  return expire_time !== null && expire_time <= Date.now();
}

function KeyState({ apiKey }: { apiKey: ApiKey }) {
  const text = useScreenWords().agent.keys;
  if (apiKey.revoke_time !== null) return <Badge>{text.revoked}</Badge>;
  if (isExpired(apiKey)) return <Badge tone="warn">{text.expired}</Badge>;
  return <Badge tone="good">{text.active}</Badge>;
}

function RevokeButton({ apiKey, onRevoke }: { apiKey: ApiKey; onRevoke: (key: ApiKey) => void }) {
  const text = useScreenWords().agent.keys;
  if (apiKey.revoke_time !== null) return null;
  return (
    <Button size="sm" aria-label={`${text.revoke}: ${apiKey.name}`} onClick={() => onRevoke(apiKey)}>
      {text.revoke}
    </Button>
  );
}

function useColumns(onRevoke: (key: ApiKey) => void): readonly Column<ApiKey>[] {
  const words = useScreenWords();
  const text = words.agent.keys;
  return useMemo(
    () => [
      {
        id: "name",
        width: "minmax(8rem,1.2fr)",
        header: text.columns.name,
        cell: (key) => <span className="truncate font-medium">{key.name}</span>,
      },
      { id: "state", width: "5.5rem", header: words.common.state, cell: (key) => <KeyState apiKey={key} /> },
      {
        id: "key",
        width: "8rem",
        header: text.columns.key,
        cell: (key) => <code className="truncate font-mono text-xs text-ink-soft">{key.prefix}…</code>,
      },
      {
        id: "scopes",
        width: "minmax(8rem,1.4fr)",
        from: "md",
        header: text.columns.scopes,
        cell: (key) => (
          <span className="truncate text-ink-soft">
            {key.scopes.length === API_KEY_SCOPES.length
              ? text.everything
              : key.scopes.map((scope) => text.scopes[scope].name).join(", ")}
          </span>
        ),
      },
      {
        id: "used",
        width: "6.5rem",
        from: "lg",
        header: text.columns.lastUsed,
        cell: (key) =>
          key.last_used_time === null ? (
            <span className="text-ink-faint">{words.common.never}</span>
          ) : (
            <Time at={key.last_used_time} />
          ),
      },
      {
        id: "expires",
        width: "6.5rem",
        from: "lg",
        header: text.columns.expires,
        cell: (key) =>
          key.expire_time === null ? (
            <span className="text-ink-faint">{words.common.never}</span>
          ) : (
            <Time at={key.expire_time} />
          ),
      },
      {
        id: "created",
        width: "6.5rem",
        from: "xl",
        header: text.columns.created,
        cell: (key) => <Time at={key.create_time} />,
      },
      {
        id: "actions",
        width: "5rem",
        align: "end",
        header: <span className="sr-only">{words.common.actions}</span>,
        cell: (key) => <RevokeButton apiKey={key} onRevoke={onRevoke} />,
      },
    ],
    [words, text, onRevoke],
  );
}
