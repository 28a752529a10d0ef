import {
  ALTERNATES_MAX,
  QUESTION_MAX_CHARACTERS,
  type ProposedAnswer,
  type QuestionGroup,
} from "@signalbox/contract";
import { Link2, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button, Drawer, problemOf, showToast, SkeletonLines } from "../../design/index.ts";
import { call, useAction, useCall } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import { draftOf, PairForm } from "./pair-form.tsx";
import { PAIR_CHANGES } from "./use-pair-actions.ts";
import { useKnowledgeWords } from "./words.ts";

const FORM = "answer";
const SHOWN = 3;

export interface AnswerDrawerProps {
  agentId: string;
  group: QuestionGroup;
  mayEdit: boolean;
  onClose: () => void;
}

/** Either users ask for what is answered already, in other words, or it gets an answer of its own. Every phrasing finds it then. */
export function AnswerDrawer({ agentId, group, mayEdit, onClose }: AnswerDrawerProps) {
  const words = useWords();
  const text = useKnowledgeWords();
  const question_ids = group.questions.map(({ question_id }) => question_id);
  const phrasings = [...new Set(group.questions.map(({ question }) => asQuestion(question)))];
  const [asked = "", ...others] = phrasings;
  const proposal = proposalOf(group);
  const [draft, setDraft] = useState(() =>
    draftOf({
      question: asked,
      answer: proposal?.answer ?? "",
      alternates: others.slice(0, ALTERNATES_MAX),
      tags: [],
    }),
  );
  const tried = useCall("tryQuestion", { agent_id: agentId, question: asked });
  const near = tried.data?.pairs.slice(0, SHOWN) ?? [];
  const add = useAction("addPair", { changes: PAIR_CHANGES });
  const change = useAction("changePair", { changes: PAIR_CHANGES });
  const dismiss = useAction("dismissQuestion", { changes: PAIR_CHANGES });
  const tell = (error: unknown) => {
    const { title, detail } = problemOf(error, words);
    showToast({ tone: "bad", title, description: detail });
  };
  const finish = (title: string) => {
    showToast({ title });
    onClose();
  };
  const attach = async (pair_id: string) => {
    const pair = await call("getPair", { agent_id: agentId, pair_id });
    const alternates = [...new Set([...pair.alternates, ...phrasings])].slice(-ALTERNATES_MAX);
    await change.mutateAsync({ agent_id: agentId, pair_id, version: pair.version, alternates, question_ids });
    finish(text.unanswered.answered);
  };
  /** A phrasing that somebody removed asks for something else: its question stays open. */
  const idsOf = (texts: readonly string[]) =>
    group.questions
      .filter(({ question }) => texts.includes(asQuestion(question)))
      .map(({ question_id }) => question_id);
  const dismissAll = async () => {
    for (const question_id of question_ids) await dismiss.mutateAsync({ agent_id: agentId, question_id });
    finish(text.unanswered.dismissed);
  };
  return (
    <Drawer open title={text.unanswered.answer} onOpenChange={onClose}>
      <div className="flex flex-col gap-6 p-4 sm:p-6">
        <div>
          <p className="text-base font-medium wrap-anywhere whitespace-pre-wrap text-ink">{group.question}</p>
          <p className="mt-1 text-xs text-ink-faint">
            {group.asked > 0
              ? text.unanswered.asked(text.unanswered.times(group.asked))
              : text.unanswered.notAsked}
          </p>
          {proposal !== undefined && (
            <p className="mt-1 text-xs text-ink-soft">{text.unanswered.proposedBy(proposal.proposed_by)}</p>
          )}
          {group.poor_ratings.length > 0 && (
            <section className="mt-3">
              <h3 className="text-xs font-medium text-ink">
                {text.unanswered.poorlyRatedAnswers(group.poorly_rated)}
              </h3>
              <ul className="mt-1 flex flex-col gap-2">
                {group.poor_ratings.map(({ message_id, answer, comment }) => (
                  <li key={message_id} className="border-l-2 border-line pl-3 text-sm wrap-anywhere">
                    <p className="whitespace-pre-wrap text-ink-soft">{answer}</p>
                    {comment !== null && <p className="text-ink">{text.unanswered.comment(comment)}</p>}
                  </li>
                ))}
              </ul>
            </section>
          )}
          {others.length > 0 && (
            <details className="mt-2 text-sm text-ink-soft" open>
              <summary className="cursor-pointer text-xs font-medium text-ink">
                {text.unanswered.alsoAsked(others.length)}
              </summary>
              <ul className="mt-1 flex list-disc flex-col gap-0.5 pl-5">
                {others.map((phrasing) => (
                  <li key={phrasing} className="wrap-anywhere">
                    {phrasing}
                  </li>
                ))}
              </ul>
            </details>
          )}
        </div>
        {tried.isPending ? (
          <SkeletonLines lines={3} />
        ) : (
          mayEdit &&
          near.length > 0 && (
            <section>
              <h3 className="mb-2 text-sm font-semibold text-ink">{text.unanswered.sameAs}</h3>
              <ul className="flex flex-col divide-y divide-line rounded-lg border border-line bg-panel shadow-raised">
                {near.map((pair) => (
                  <li key={pair.pair_id} className="flex items-center gap-3 px-4 py-2.5">
                    <span className="min-w-0 flex-1">
                      <span className="block truncate text-sm font-medium text-ink">{pair.question}</span>
                      <span className="block truncate text-xs text-ink-soft">{pair.answer}</span>
                    </span>
                    <Button
                      size="sm"
                      aria-label={text.unanswered.sameThis(pair.question)}
                      busy={change.isPending}
                      icon={<Link2 className="size-3.5" aria-hidden />}
                      onClick={() => void attach(pair.pair_id).catch(tell)}
                    >
                      {text.unanswered.same}
                    </Button>
                  </li>
                ))}
              </ul>
            </section>
          )
        )}
        {mayEdit ? (
          <section className="flex flex-col gap-5">
            {near.length > 0 && <h3 className="text-sm font-semibold text-ink">{text.unanswered.orNew}</h3>}
            <PairForm
              id={FORM}
              draft={draft}
              onDraft={setDraft}
              readOnly={false}
              onSave={async ({ question: written, answer, alternates, tags }) => {
                const also =
                  written === asked
                    ? alternates
                    : [...new Set([...alternates, asked])].slice(-ALTERNATES_MAX);
                await add.mutateAsync({
                  agent_id: agentId,
                  question: written,
                  answer,
                  alternates: also,
                  tags,
                  question_ids: idsOf([written, ...also]),
                });
                finish(text.unanswered.answered);
              }}
            />
            <div className="flex flex-wrap items-center gap-2">
              <Button tone="primary" type="submit" form={FORM} busy={add.isPending}>
                {text.save}
              </Button>
              <span className="text-xs text-ink-faint max-sm:hidden">{text.saveKeys}</span>
              <Button
                className="ml-auto"
                busy={dismiss.isPending}
                icon={<Trash2 className="size-3.5" aria-hidden />}
                onClick={() => void dismissAll().catch(tell)}
              >
                {text.unanswered.dismiss}
              </Button>
            </div>
          </section>
        ) : (
          <p className="text-sm text-ink-soft">{text.readOnly}</p>
        )}
      </div>
    </Drawer>
  );
}

/** The latest of the group's. */
export function proposalOf({ questions }: QuestionGroup): ProposedAnswer | undefined {
  return questions
    .flatMap(({ proposal }) => proposal ?? [])
    .toSorted((one, other) => other.time - one.time)[0];
}

/** A question of a pair is shorter than a message may be, and stands on one line of the form. */
function asQuestion(message: string): string {
  return [...message.replaceAll(/\s+/g, " ").trim()].slice(0, QUESTION_MAX_CHARACTERS).join("");
}
