import { z } from "zod";
import { AgentPath } from "./agents.ts";
import { DocumentStatus } from "./documents.ts";
import { ANSWER_MAX_CHARACTERS, QUESTION_MAX_CHARACTERS } from "./knowledge.ts";
import { pairId } from "./pair-id.ts";
import { tagFilter, tags } from "./tags.ts";
import { absentIfEmpty, identifier, pageFields, pageOf, text, timestamp, words } from "./values.ts";

// Knowledge as people edit it: one pair at a time, each with a history.

const count = z.int().min(0);
export const ALTERNATES_MAX = 50;

export const KnowledgeBase = z
  .object({
    knowledge_base_id: identifier,
    name: z.string(),
    description: z.string(),
    is_default: z.boolean().describe("Used if no knowledge base is named"),
    documents: count,
    pairs: count,
  })
  .meta({ id: "KnowledgeBase" });
export type KnowledgeBase = z.output<typeof KnowledgeBase>;

export const KnowledgeBaseList = pageOf(KnowledgeBase).meta({ id: "KnowledgeBaseList" });
export type KnowledgeBaseList = z.output<typeof KnowledgeBaseList>;

export const KnowledgeDocumentQuery = z.strictObject({
  knowledge_base_id: absentIfEmpty(identifier).describe("The agent's default knowledge base if omitted"),
  ...pageFields,
});

export const KnowledgeDocument = z
  .object({
    doc_id: identifier,
    doc_name: z.string(),
    knowledge_base_id: identifier,
    status: DocumentStatus,
    pairs: count,
    create_time: timestamp,
    update_time: timestamp,
  })
  .meta({ id: "KnowledgeDocument" });
export type KnowledgeDocument = z.output<typeof KnowledgeDocument>;

export const KnowledgeDocumentPage = pageOf(KnowledgeDocument).meta({ id: "KnowledgeDocumentPage" });
export type KnowledgeDocumentPage = z.output<typeof KnowledgeDocumentPage>;

export const PairPath = AgentPath.extend({ pair_id: pairId });

export const PairQuery = z.strictObject({
  knowledge_base_id: absentIfEmpty(identifier).describe("The agent's default knowledge base if omitted"),
  doc_id: absentIfEmpty(identifier).describe(
    "Only pairs of this document, in whichever knowledge base it is",
  ),
  text: absentIfEmpty(text(200)).describe(
    "Only pairs whose question, alternates or first words of the answer contain all of these words, or words that begin with them",
  ),
  tag: tagFilter,
  ...pageFields,
});

/** The media types of an export. */
export const EXPORT_TYPES = {
  csv: "text/csv",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  json: "application/json",
} as const;

export const ExportFormat = z.enum(["csv", "xlsx", "json"]).meta({
  id: "ExportFormat",
  description:
    "csv and xlsx: one row for each pair, as an import reads it. json: documents with their pairs, as signalbox documents import reads it",
});
export type ExportFormat = z.output<typeof ExportFormat>;

export const ExportPairsQuery = z.strictObject({
  format: ExportFormat.default("csv"),
  knowledge_base_id: absentIfEmpty(identifier).describe("Only this knowledge base; all if omitted"),
  doc_id: absentIfEmpty(identifier).describe("Only this document"),
});

/** Read by the SDK as it is. */
export const ExportedFile = z.custom<Blob>((value) => value instanceof Blob);

export const PairAuthor = z
  .object({
    actor: z.string().describe("account, operator_token or bootstrap_token, as in the audit"),
    actor_id: identifier.nullable(),
    actor_name: z.string().nullable(),
  })
  .meta({ id: "PairAuthor" });
export type PairAuthor = z.output<typeof PairAuthor>;

const version = z.int().min(1).max(1_000_000);

const pairTexts = {
  question: words(QUESTION_MAX_CHARACTERS),
  answer: words(ANSWER_MAX_CHARACTERS),
  alternates: z
    .array(words(QUESTION_MAX_CHARACTERS))
    .max(ALTERNATES_MAX)
    .describe("Other ways to ask the question"),
};

const answeredQuestion = absentIfEmpty(identifier).describe(
  "An unanswered question that the pair answers now: it leaves the list until it is asked again without an answer",
);

const answeredQuestions = z
  .array(identifier)
  .max(200)
  .nullish()
  .describe("The same for several questions, such as all of a group");

const shownTexts = {
  question: z.string(),
  answer: z.string(),
  alternates: z.array(z.string()),
  tags: z.array(z.string()),
};

export const Pair = z
  .object({
    pair_id: pairId,
    knowledge_base_id: identifier,
    doc_id: identifier,
    doc_name: z.string(),
    ...shownTexts,
    version: version.describe("1 as imported or added; each change raises it"),
    author: PairAuthor.nullable().describe("Who changed it last; null if it is as imported"),
    update_time: timestamp.nullable().describe("When it was changed last; null if it is as imported"),
  })
  .meta({ id: "Pair" });
export type Pair = z.output<typeof Pair>;

export const PairPage = pageOf(Pair).meta({ id: "PairPage" });
export type PairPage = z.output<typeof PairPage>;

export const AddPairRequest = z
  .strictObject({
    knowledge_base_id: absentIfEmpty(identifier).describe("The agent's default knowledge base if omitted"),
    doc_id: absentIfEmpty(identifier).describe(
      "The document to add it to. If omitted, the knowledge base's document for pairs added one by one, which is created when needed",
    ),
    question: pairTexts.question,
    answer: pairTexts.answer,
    alternates: pairTexts.alternates.nullish(),
    tags: tags.nullish(),
    question_id: answeredQuestion,
    question_ids: answeredQuestions,
  })
  .meta({
    id: "AddPairRequest",
    examples: [{ question: "When do you open?", answer: "At nine.", alternates: ["What are your hours?"] }],
  });
export type AddPairRequest = z.output<typeof AddPairRequest>;

export const ChangePairRequest = z
  .strictObject({
    question: pairTexts.question.nullish(),
    answer: pairTexts.answer.nullish(),
    alternates: pairTexts.alternates.nullish().describe("Replaces all alternates. Unchanged if omitted"),
    tags: tags.nullish().describe("Replaces all tags. Unchanged if omitted"),
    version: version
      .nullish()
      .describe("The version you read. If the pair was changed since, the call answers 40900"),
    question_id: answeredQuestion,
    question_ids: answeredQuestions,
  })
  .meta({ id: "ChangePairRequest", examples: [{ answer: "At ten.", version: 1 }] });
export type ChangePairRequest = z.output<typeof ChangePairRequest>;

export const PairVersion = z
  .object({
    version,
    change: z
      .enum(["imported", "added", "changed", "deleted", "restored"])
      .describe("deleted: the texts are those the pair had"),
    ...shownTexts,
    author: PairAuthor.nullable().describe("null for the version that was imported"),
    time: timestamp,
  })
  .meta({ id: "PairVersion" });
export type PairVersion = z.output<typeof PairVersion>;

export const PairHistory = pageOf(PairVersion).meta({ id: "PairHistory" });
export type PairHistory = z.output<typeof PairHistory>;

export const RestorePairRequest = z
  .strictObject({ version: version.describe("The version whose texts the pair gets back, as a new version") })
  .meta({ id: "RestorePairRequest", examples: [{ version: 1 }] });
export type RestorePairRequest = z.output<typeof RestorePairRequest>;

const score = z.number().min(0).max(1);

export const AgentDecision = z.enum(["direct", "model", "offer", "fallback"]).meta({
  id: "AgentDecision",
  description:
    "direct: the best pair's answer, word for word. model: the best pair's answer, phrased by the chat model if there is one. offer: up to three stored questions to choose from. fallback: the agent says that it does not know",
});
export type AgentDecision = z.output<typeof AgentDecision>;

export const TryQuestionRequest = z
  .strictObject({
    question: words(2_000),
    knowledge_base_id: absentIfEmpty(identifier).describe("Only this knowledge base; all if omitted"),
  })
  .meta({ id: "TryQuestionRequest", examples: [{ question: "When do you open?" }] });
export type TryQuestionRequest = z.output<typeof TryQuestionRequest>;

export const TriedPair = z
  .object({
    pair_id: pairId,
    doc_id: identifier,
    question: z.string(),
    answer: z.string(),
    score,
    parts: z
      .object({
        question: z.number(),
        trigram: z.number(),
        answer: z.number(),
        lexical: z.number().describe("Sum of question, trigram and answer"),
        semantic: z.number().nullable().describe("null if no vectors were compared"),
      })
      .describe("How the score came about"),
    unsupported: score.describe("Share of the question that the pair does not cover"),
  })
  .meta({ id: "TriedPair" });
export type TriedPair = z.output<typeof TriedPair>;

export const TryQuestionReply = z
  .object({
    reply: z
      .object({
        outcome: z.enum(["answered", "offered", "small_talk", "unanswered", "handed_over"]),
        text: z
          .string()
          .nullable()
          .describe("What the user reads, before a chat model rewords it; null if a person takes over"),
      })
      .describe("What a user gets who begins a conversation with this question"),
    decision: AgentDecision.describe("What the knowledge alone says to it"),
    answer: z
      .string()
      .nullable()
      .describe("What the agent would say from a pair; null for an offer or fallback"),
    has_chat_model: z.boolean().describe("If true, the model phrases answers of the decision model"),
    offers: z.array(z.string()).describe("The questions it would offer"),
    searched_by: z.enum(["words", "han", "meaning"]).describe("What the thresholds are for"),
    confidence: z
      .number()
      .nullable()
      .describe(
        "From the best pair's score, its distance to the next, and how much of the question it leaves out",
      ),
    is_tie: z.boolean().describe("Two pairs are equally near, so neither is given"),
    thresholds: z.object({
      direct: z.number().describe("Score from which the answer is given word for word"),
      answer: z.number().describe("Confidence from which the best pair answers"),
      offer: z.number().describe("Score from which a question is offered"),
      answer_score: z
        .number()
        .nullable()
        .describe("The agent's own minimum score, which replaces confidence; null if it has none"),
    }),
    pairs: z.array(TriedPair).describe("The nearest pairs, best first"),
  })
  .meta({ id: "TryQuestionReply" });
export type TryQuestionReply = z.output<typeof TryQuestionReply>;

export const QuestionPath = AgentPath.extend({ question_id: identifier });
