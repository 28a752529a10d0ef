import type { Pair, TriedPair, TryQuestionReply } from "@signalbox/contract";
import {
  CircleHelp,
  CornerDownRight,
  Hand,
  Headset,
  ListChecks,
  MessageSquareText,
  Pencil,
} from "lucide-react";
import { useState } from "react";
import {
  Badge,
  type BadgeTone,
  Button,
  Drawer,
  Field,
  Input,
  Problem,
  SkeletonLines,
} from "../../design/index.ts";
import { call, useCall } from "../../service/index.ts";
import { SaveMenu } from "./saved/save-menu.tsx";
import { useMayEdit } from "./use-pair-actions.ts";
import { useKnowledgeWords } from "./words.ts";

export interface TryDrawerProps {
  agentId: string;
  baseId: string | undefined;
  onEdit: (pair: Pair) => void;
  onClose: () => void;
}

/** Asks as a user would, and says why the agent answers as it does. A correction is seen at once. */
export function TryDrawer({ agentId, baseId, onEdit, onClose }: TryDrawerProps) {
  const text = useKnowledgeWords();
  const [typed, setTyped] = useState("");
  const [asked, setAsked] = useState("");
  const tried = useCall(
    "tryQuestion",
    { agent_id: agentId, question: asked, knowledge_base_id: baseId },
    { enabled: asked !== "" },
  );
  return (
    <Drawer open title={text.tryIt} onOpenChange={onClose}>
      <div className="flex flex-col gap-5 p-4 sm:p-6">
        <form
          className="flex items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            setAsked(typed.trim());
          }}
        >
          <Field label={text.tryQuestion} help={text.tryLead} className="flex-1">
            <Input autoFocus value={typed} maxLength={2_000} onValueChange={(value) => setTyped(value)} />
          </Field>
          <Button
            tone="primary"
            type="submit"
            className="mt-6.5 self-start"
            busy={tried.isFetching}
            disabled={typed.trim() === ""}
          >
            {text.ask}
          </Button>
        </form>
        <div aria-live="polite">
          {asked === "" ? null : tried.isError ? (
            <Problem error={tried.error} onRetry={() => void tried.refetch()} />
          ) : tried.data === undefined ? (
            <SkeletonLines lines={6} />
          ) : (
            <Result asked={asked} reply={tried.data} agentId={agentId} onEdit={onEdit} />
          )}
        </div>
      </div>
    </Drawer>
  );
}

type Kind = TryQuestionReply["decision"] | "small_talk" | "handed_over";

const TONES: Record<Kind, BadgeTone> = {
  direct: "good",
  model: "good",
  offer: "warn",
  fallback: "bad",
  small_talk: "neutral",
  handed_over: "neutral",
};
const ICONS = {
  direct: MessageSquareText,
  model: MessageSquareText,
  offer: ListChecks,
  fallback: CircleHelp,
  small_talk: Hand,
  handed_over: Headset,
} as const;

/** Greetings and requests for a person are answered whatever the knowledge says. */
function kindOf({ reply: { outcome }, decision }: TryQuestionReply): Kind {
  return outcome === "small_talk" || outcome === "handed_over" ? outcome : decision;
}

interface ResultProps {
  asked: string;
  reply: TryQuestionReply;
  agentId: string;
  onEdit: (pair: Pair) => void;
}

function Result({ asked, reply, agentId, onEdit }: ResultProps) {
  const text = useKnowledgeWords();
  const mayEdit = useMayEdit(agentId);
  const { offers, pairs } = reply;
  const kind = kindOf(reply);
  const { title, help } = text.decisions[kind];
  return (
    <div className="flex flex-col gap-5">
      <section className="rounded-lg border border-line bg-panel p-4 shadow-raised">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <Badge tone={TONES[kind]} icon={ICONS[kind]}>
            {title}
          </Badge>
          {mayEdit && <SaveMenu agentId={agentId} question={asked} reply={reply} />}
        </div>
        {reply.reply.text !== null && (
          <p className="mt-2 text-base wrap-anywhere whitespace-pre-wrap text-ink">{reply.reply.text}</p>
        )}
        <p className="mt-2 text-sm text-ink-soft">
          {help} {kind === "model" && !reply.has_chat_model && text.noModel}{" "}
          {(kind === "model" || kind === "offer") && reply.is_tie && text.tie}
        </p>
        {kind === "offer" && offers.length > 0 && (
          <>
            <p className="mt-2 text-sm text-ink-soft">{text.offersThese}</p>
            <ul className="mt-1 flex flex-col gap-1 text-sm text-ink">
              {offers.map((question) => (
                <li key={question} className="flex items-start gap-1.5">
                  <CornerDownRight className="mt-1 size-3 shrink-0 text-ink-faint" aria-hidden />
                  {question}
                </li>
              ))}
            </ul>
          </>
        )}
        <Thresholds reply={reply} />
      </section>
      <section>
        <h3 className="mb-2 text-sm font-semibold text-ink">{text.nearest}</h3>
        {pairs.length === 0 ? (
          <p className="text-sm text-ink-soft">{text.nothingFound}</p>
        ) : (
          <ol className="flex flex-col gap-3">
            {pairs.map((pair) => (
              <Candidate
                key={pair.pair_id}
                pair={pair}
                onEdit={() => void call("getPair", { agent_id: agentId, pair_id: pair.pair_id }).then(onEdit)}
              />
            ))}
          </ol>
        )}
      </section>
    </div>
  );
}

const shown = (value: number) => value.toFixed(2);

function Thresholds({ reply }: { reply: TryQuestionReply }) {
  const text = useKnowledgeWords();
  const { confidence } = reply;
  const { direct, answer, offer, answer_score } = reply.thresholds;
  const names = text.thresholdNames;
  const listed = [
    answer_score === null ? `${names.answer} ${shown(answer)}` : `${names.own} ${shown(answer_score)}`,
    `${names.direct} ${shown(direct)}`,
    `${names.offer} ${shown(offer)}`,
  ];
  return (
    <details className="mt-3 border-t border-line pt-3 text-xs text-ink-faint">
      <summary className="cursor-pointer">{text.details}</summary>
      <p className="mt-2 tabular">
        {text.searchedBy[reply.searched_by]} {confidence !== null && `${text.confidence(shown(confidence))} `}
        {text.thresholds(listed)}
      </p>
    </details>
  );
}

function Candidate({ pair, onEdit }: { pair: TriedPair; onEdit: () => void }) {
  const text = useKnowledgeWords();
  const { parts, unsupported } = pair;
  const rows: [string, number | null][] = [
    [text.parts.question, parts.question],
    [text.parts.trigram, parts.trigram],
    [text.parts.answer, parts.answer],
    [text.parts.semantic, parts.semantic],
    [text.parts.unsupported, unsupported],
  ];
  return (
    <li className="rounded-lg border border-line bg-panel p-4 shadow-raised">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <p className="text-sm font-medium wrap-anywhere text-ink">{pair.question}</p>
          <p className="mt-0.5 line-clamp-2 text-sm wrap-anywhere text-ink-soft">{pair.answer}</p>
        </div>
        <span className="shrink-0 text-right">
          <span className="block text-xs text-ink-faint">{text.score}</span>
          <span className="text-base font-semibold text-ink tabular">{shown(pair.score)}</span>
        </span>
      </div>
      <div className="mt-3 flex items-end gap-3">
        <dl className="flex flex-1 flex-wrap gap-x-4 gap-y-1 text-xs">
          {rows.map(
            ([name, value]) =>
              value !== null && (
                <div key={name} className="flex gap-1.5">
                  <dt className="text-ink-faint">{name}</dt>
                  <dd className="text-ink-soft tabular">{shown(value)}</dd>
                </div>
              ),
          )}
        </dl>
        <Button
          size="sm"
          aria-label={text.editThis(pair.question)}
          icon={<Pencil className="size-3.5" aria-hidden />}
          onClick={onEdit}
        >
          {text.edit}
        </Button>
      </div>
    </li>
  );
}
