import type { KeyboardEvent } from "react";
import { useState } from "react";
import { splitTags } from "@signalbox/contract";
import { isFailure } from "@signalbox/sdk";
import { Field, Input, problemOf, TextArea } from "../../design/index.ts";
import { bodyProblems } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import type { PairTexts } from "./use-pair-actions.ts";
import { useKnowledgeWords } from "./words.ts";

/** The unsaved text: one alternate a line, tags between commas. */
export interface PairDraft {
  question: string;
  answer: string;
  alternates: string;
  tags: string;
}

export function draftOf(pair: PairTexts | undefined): PairDraft {
  return {
    question: pair?.question ?? "",
    answer: pair?.answer ?? "",
    alternates: pair?.alternates.join("\n") ?? "",
    tags: pair?.tags.join(", ") ?? "",
  };
}

export function isDraftOf(draft: PairDraft, pair: PairTexts | undefined): boolean {
  const saved = draftOf(pair);
  const fields = ["question", "answer", "alternates", "tags"] as const;
  return fields.every((field) => draft[field] === saved[field]);
}

function textsOf({ question, answer, alternates, tags }: PairDraft): PairTexts {
  const lines = alternates.split("\n").map((line) => line.trim());
  return {
    question: question.trim(),
    answer: answer.trim(),
    alternates: lines.filter((line) => line !== ""),
    tags: splitTags(tags),
  };
}

export interface PairFormProps {
  /** What the button that submits it names. */
  id: string;
  draft: PairDraft;
  onDraft: (draft: PairDraft) => void;
  readOnly: boolean;
  onSave: (texts: PairTexts) => Promise<void>;
}

export function PairForm({ id, draft, onDraft, readOnly, onSave }: PairFormProps) {
  const words = useWords();
  const text = useKnowledgeWords();
  const [problems, setProblems] = useState<Record<string, string>>({});
  // A question that users asked lacks only its answer.
  const [asksForAnswer] = useState(draft.question !== "" && draft.answer === "");
  const submit = async () => {
    const texts = textsOf(draft);
    const found = bodyProblems("addPair", texts);
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    try {
      await onSave(texts);
    } catch (error) {
      const isStale = isFailure(error, "stateConflict");
      setProblems({ form: isStale ? text.stale : problemOf(error, words).detail });
    }
  };
  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || readOnly) return;
    event.preventDefault();
    void submit();
  };
  const control = (field: keyof PairDraft) => ({
    value: draft[field],
    readOnly,
    onChange: ({ target }: { target: { value: string } }) => onDraft({ ...draft, [field]: target.value }),
  });
  return (
    <form
      id={id}
      noValidate
      className="flex flex-col gap-5"
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault();
        if (!readOnly) void submit();
      }}
    >
      <Field label={text.question} problem={problems["question"]}>
        <TextArea rows={2} autoFocus={!readOnly && !asksForAnswer} {...control("question")} />
      </Field>
      <Field label={text.answer} help={text.answerHelp} problem={problems["answer"]}>
        <TextArea rows={8} autoFocus={!readOnly && asksForAnswer} {...control("answer")} />
      </Field>
      <Field
        label={text.alternates}
        note={words.common.optional}
        help={text.alternatesHelp}
        problem={problems["alternates"]}
      >
        <TextArea rows={4} {...control("alternates")} />
      </Field>
      <Field label={text.tags} note={words.common.optional} help={text.tagsHelp} problem={problems["tags"]}>
        <Input {...control("tags")} />
      </Field>
      {problems["form"] !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {problems["form"]}
        </p>
      )}
    </form>
  );
}
