import type { Pair, PairVersion } from "@signalbox/contract";
import { RotateCcw } from "lucide-react";
import { Badge, Button, Problem, SkeletonLines, Time } from "../../design/index.ts";
import { usePages } from "../../service/index.ts";
import { useKnowledgeWords } from "./words.ts";
import { diffWords } from "./word-diff.ts";

export interface PairHistoryProps {
  agentId: string;
  pair: Pair;
  /** Undefined for a person who may not change the pair. */
  onRestore: ((version: number) => void) | undefined;
}

/** Each version as it differs from the one before it, newest first. */
export function PairHistory({ agentId, pair, onRestore }: PairHistoryProps) {
  const text = useKnowledgeWords();
  const { pair_id } = pair;
  const history = usePages("listPairHistory", { agent_id: agentId, pair_id });
  if (history.isError) return <Problem error={history.error} onRetry={() => void history.refetch()} />;
  if (history.isPending) return <SkeletonLines lines={6} />;
  const versions = history.entries;
  return (
    <ol className="flex flex-col gap-3">
      {versions.map((version, index) => (
        <Version
          key={version.version}
          version={version}
          before={versions[index + 1]}
          isCurrent={index === 0}
          onRestore={onRestore}
        />
      ))}
      {history.hasNextPage && (
        <li className="text-center">
          <Button size="sm" busy={history.isFetchingNextPage} onClick={() => void history.fetchNextPage()}>
            {text.showMore}
          </Button>
        </li>
      )}
    </ol>
  );
}

interface VersionProps {
  version: PairVersion;
  before: PairVersion | undefined;
  isCurrent: boolean;
  onRestore: ((version: number) => void) | undefined;
}

function Version({ version, before, isCurrent, onRestore }: VersionProps) {
  const text = useKnowledgeWords();
  const { author, change, time } = version;
  return (
    <li className="rounded-lg border border-line bg-panel shadow-raised">
      <div className="flex min-h-11 flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-4 py-2 text-xs text-ink-soft">
        <Badge tone={change === "deleted" ? "bad" : "neutral"}>{text.changes[change]}</Badge>
        {author !== null && <span>{text.by(author.actor_name ?? text.somebody)}</span>}
        <Time at={time} className="text-ink-faint" />
        <span className="ml-auto">
          {isCurrent ? (
            <Badge tone="accent">{text.current}</Badge>
          ) : (
            onRestore !== undefined &&
            change !== "deleted" && (
              <Button
                size="sm"
                aria-label={text.restoreThis(version.version)}
                icon={<RotateCcw className="size-3.5" aria-hidden />}
                onClick={() => onRestore(version.version)}
              >
                {text.restore}
              </Button>
            )
          )}
        </span>
      </div>
      <dl className="flex flex-col gap-3 px-4 py-3 text-sm">
        <Difference label={text.question} before={before?.question} after={version.question} />
        <Difference label={text.answer} before={before?.answer} after={version.answer} />
        <Difference
          label={text.alternates}
          before={before?.alternates.join("\n")}
          after={version.alternates.join("\n")}
        />
        <Difference label={text.tags} before={before?.tags.join(", ")} after={version.tags.join(", ")} />
      </dl>
    </li>
  );
}

const LOOKS = {
  same: undefined,
  added: "rounded-sm bg-good-soft text-good no-underline",
  removed: "rounded-sm bg-bad-soft text-bad line-through",
};

/** As text, whatever it holds: nothing of it is markup. The first version has nothing to differ from. */
function Difference({ label, before, after }: { label: string; before: string | undefined; after: string }) {
  if ((before ?? "") === "" && after === "") return null;
  return (
    <div>
      <dt className="text-xs text-ink-faint">{label}</dt>
      <dd className="wrap-anywhere whitespace-pre-wrap text-ink">
        {diffWords(before ?? after, after).map(({ kind, text }, index) => {
          const Tag = kind === "added" ? "ins" : kind === "removed" ? "del" : "span";
          return (
            <Tag key={index} className={LOOKS[kind]}>
              {text}
            </Tag>
          );
        })}
      </dd>
    </div>
  );
}
