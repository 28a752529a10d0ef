import type { AuditEntry } from "@signalbox/contract";
import { useSearch } from "@tanstack/react-router";
import { ScrollText } from "lucide-react";
import { useMemo, useState } from "react";
import {
  CodeView,
  type Column,
  CopyableId,
  DataTable,
  Drawer,
  EmptyState,
  Facts,
  Page,
  Problem,
  RowButton,
  Time,
} from "../../design/index.ts";
import { useAgents, usePages } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";

const idOf = (entry: AuditEntry) => entry.audit_id;

export function Audit() {
  const words = useScreenWords();
  const text = words.agent.audit;
  const { agent: agent_id } = useSearch({ from: "__root__" });
  const audit = usePages("listAudit", { agent_id });
  const [opened, setOpened] = useState<AuditEntry>();
  const columns = useColumns(agent_id, setOpened);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = audit;
  return (
    <Page layout="full" title={text.title} lead={text.lead}>
      {audit.isError ? (
        <Problem error={audit.error} onRetry={() => void audit.refetch()} />
      ) : (
        <DataTable
          label={text.title}
          columns={columns}
          rows={audit.entries}
          idOf={idOf}
          loading={audit.isPending}
          onEnd={hasNextPage ? () => void fetchNextPage() : undefined}
          loadingMore={isFetchingNextPage}
          compact={(entry) => (
            <div className="flex flex-col gap-0.5">
              <div className="flex gap-2">
                <ActionButton entry={entry} onOpen={setOpened} />
                <Time at={entry.at} className="ml-auto text-xs text-ink-faint" />
              </div>
              <Actor entry={entry} />
            </div>
          )}
          empty={
            <EmptyState icon={ScrollText} title={text.none}>
              {text.noneLead}
            </EmptyState>
          }
        />
      )}
      <Drawer
        open={opened !== undefined}
        onOpenChange={() => setOpened(undefined)}
        title={opened?.action ?? text.title}
      >
        {opened !== undefined && <EntryDetail entry={opened} />}
      </Drawer>
    </Page>
  );
}

function Actor({ entry }: { entry: AuditEntry }) {
  const { actors } = useScreenWords().agent.audit;
  const kind = actors[entry.actor] ?? entry.actor;
  return (
    <span className="truncate">
      {entry.actor_name ?? kind} {entry.actor_name !== null && <span className="text-ink-faint">{kind}</span>}
    </span>
  );
}

function ActionButton({ entry, onOpen }: { entry: AuditEntry; onOpen: (entry: AuditEntry) => void }) {
  return (
    <RowButton onClick={() => onOpen(entry)} className="truncate font-mono text-xs font-medium text-ink">
      {entry.action}
    </RowButton>
  );
}

function EntryDetail({ entry }: { entry: AuditEntry }) {
  const text = useScreenWords().agent.audit;
  return (
    <div className="flex flex-col gap-5 p-4 sm:p-6">
      <Facts
        facts={[
          { label: text.columns.time, value: <Time at={entry.at} as="full" /> },
          { label: text.columns.actor, value: <Actor entry={entry} /> },
          entry.address !== null && {
            label: text.columns.address,
            value: <span className="font-mono text-xs">{entry.address}</span>,
          },
          entry.subject_id !== null && {
            label: text.columns.subject,
            value: <CopyableId id={entry.subject_id} label={text.columns.subject} />,
          },
          entry.agent_id !== null && {
            label: text.columns.agent,
            value: <CopyableId id={entry.agent_id} label={text.columns.agent} />,
          },
          entry.request_id !== null && {
            label: text.request,
            value: <CopyableId id={entry.request_id} label={text.request} />,
          },
        ]}
      />
      <CodeView label={text.details} code={JSON.stringify(entry.detail)} json />
    </div>
  );
}

function useColumns(
  agentId: string | undefined,
  onOpen: (entry: AuditEntry) => void,
): readonly Column<AuditEntry>[] {
  const words = useScreenWords();
  const { columns } = words.agent.audit;
  const { byId } = useAgents();
  return useMemo(() => {
    const all: (Column<AuditEntry> | undefined)[] = [
      {
        id: "action",
        width: "minmax(10rem,1.2fr)",
        header: columns.action,
        cell: (entry) => <ActionButton entry={entry} onOpen={onOpen} />,
      },
      {
        id: "actor",
        width: "minmax(9rem,1.2fr)",
        header: columns.actor,
        cell: (entry) => <Actor entry={entry} />,
      },
      {
        id: "subject",
        width: "8rem",
        from: "lg",
        header: columns.subject,
        cell: (entry) =>
          entry.subject_id !== null && <CopyableId short id={entry.subject_id} label={columns.subject} />,
      },
      agentId === undefined
        ? {
            id: "agent",
            width: "minmax(6rem,0.8fr)",
            from: "lg",
            header: columns.agent,
            cell: (entry) =>
              entry.agent_id !== null && <span className="truncate">{byId.get(entry.agent_id)?.name}</span>,
          }
        : undefined,
      {
        id: "address",
        width: "8rem",
        from: "lg",
        header: columns.address,
        cell: (entry) => <span className="truncate font-mono text-xs text-ink-soft">{entry.address}</span>,
      },
      {
        id: "time",
        width: "6rem",
        align: "end",
        header: columns.time,
        cell: (entry) => <Time at={entry.at} className="text-ink-soft" />,
      },
    ];
    return all.filter((column) => column !== undefined);
  }, [agentId, byId, columns, onOpen, words]);
}
