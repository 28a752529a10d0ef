import { relative, sep, dirname } from "node:path";
import { ARROWS, placeOf } from "./rooms.ts";

/** The room that writes each table, once. A table of several rooms is written under the conversation's row lock alone. */
export const OWNERS: Readonly<Record<string, readonly string[]>> = {
  account: ["accounts"],
  account_device: ["accounts"],
  account_guess: ["accounts"],
  account_identity: ["accounts"],
  account_invitation: ["accounts"],
  account_passkey: ["accounts"],
  account_passkey_challenge: ["accounts"],
  account_password_reset: ["accounts"],
  account_recovery_code: ["accounts"],
  account_role: ["accounts"],
  account_session: ["accounts"],
  account_sign_in: ["accounts"],
  account_totp: ["accounts"],
  agent: ["agents"],
  agent_model: ["agents"],
  api_key: ["agents"],
  archived_content: ["knowledge"],
  attempt: ["delivery"],
  audit: ["platform"],
  canned_reply: ["inbox"],
  chat_revocation: ["live"],
  chunk_result: ["knowledge"],
  conversation: ["conversations", "handoff", "live"],
  conversation_rating: ["answering"],
  daily_use: ["platform"],
  dead_letter: ["delivery"],
  delivery: ["delivery"],
  destination: ["delivery"],
  document: ["knowledge"],
  document_revision: ["knowledge"],
  erasure: ["privacy"],
  handoff: ["handoff"],
  human_answer_decision: ["answering"],
  idempotency: ["platform"],
  inbox_note: ["inbox"],
  inbox_presence: ["inbox"],
  inbox_talk: ["inbox"],
  inbox_team: ["inbox"],
  inbox_team_member: ["inbox"],
  ingest_chunk: ["knowledge"],
  knowledge_base: ["knowledge"],
  lane: ["delivery"],
  message: ["conversations", "handoff"],
  numbers_conversation: ["numbers"],
  numbers_handoff: ["numbers"],
  numbers_hour: ["numbers"],
  numbers_sweep: ["numbers"],
  numbers_tokens: ["numbers"],
  operator_token: ["agents"],
  qa_embedding: ["knowledge"],
  qa_pair: ["knowledge"],
  qa_pair_version: ["knowledge"],
  question_offer: ["answering"],
  replay: ["delivery"],
  saved_question: ["answering"],
  saved_question_run: ["answering"],
  speech: ["answering"],
  turn: ["conversations"],
  unanswered_question: ["answering"],
  unanswered_question_asker: ["answering"],
  upload: ["knowledge"],
  upload_part: ["knowledge"],
  user_binding: ["conversations"],
  webhook: ["webhooks"],
  webhook_check: ["webhooks"],
  worker: ["delivery"],
};

/** What a room reads although its owner does not stand below it: each is a place that a change of the table reaches. */
export const ALSO_READS: Readonly<Record<string, readonly string[]>> = {
  // An agent is shown with its default base.
  agents: ["knowledge_base"],
  // What users asked and humans replied becomes knowledge.
  answering: ["conversation", "handoff", "message"],
  // The log shows whose message a delivery carries.
  delivery: ["conversation", "message"],
  // Health and gauges look at all that waits.
  http: ["agent", "conversation", "dead_letter", "delivery", "destination", "lane", "webhook", "worker"],
  // A user sees how far a human has read.
  live: ["inbox_talk"],
  // Counted after the fact, from what was committed.
  numbers: ["conversation", "conversation_rating", "handoff", "message"],
  // All that is stored about a user is exported.
  privacy: [
    "conversation_rating",
    "inbox_note",
    "question_offer",
    "speech",
    "unanswered_question",
    "unanswered_question_asker",
    "user_binding",
  ],
};

type Access = "writes" | "reads";

/** Why this file may not write or read a table, or undefined. */
export function refuseTable(path: string, access: Access, table: string): string | undefined {
  const room = placeOf(path);
  const owners = OWNERS[table];
  if (room === undefined || owners === undefined || owners.includes(room)) return undefined;
  const owner = owners.join(" and ");
  if (access === "writes")
    return `${room} may not write ${table}, which belongs to ${owner}: call a function of ${owner}; the table is in tools/table-owners.ts`;
  if (owners.some((one) => roomsBelow(room).has(one)) || ALSO_READS[room]?.includes(table)) return undefined;
  return `${room} may not read ${table}, which belongs to ${owner}: take what you need as an argument; the table is in tools/table-owners.ts`;
}

/** The rooms that the arrows of a room lead to, over others as well. */
export function roomsBelow(room: string, below = new Set<string>()): ReadonlySet<string> {
  for (const next of ARROWS[room] ?? [])
    if (!below.has(next)) {
      below.add(next);
      roomsBelow(next, below);
    }
  return below;
}

const WRITES = [
  /\b(?:insert\s+into|delete\s+from|merge\s+into|truncate)\s+(?:only\s+)?(\w+)/gi,
  /\bupdate\s+(?:only\s+)?(\w+)(?:\s+(?:as\s+)?\w+)?\s+set\b/gi,
];
const READS = [/(?<!\bdelete\s+)\b(?:from|join)\s+(?:lateral\s+)?(?:only\s+)?(\w+)/gi];

/** The tables that a piece of SQL names, with what it does to each. */
export function tablesIn(text: string): { access: Access; table: string }[] {
  const found = (patterns: readonly RegExp[], access: Access) =>
    patterns.flatMap((pattern) =>
      [...text.matchAll(pattern)].map(([, table = ""]) => ({ access, table: table.toLowerCase() })),
    );
  return [...found(WRITES, "writes"), ...found(READS, "reads")].filter(({ table }) =>
    Object.hasOwn(OWNERS, table),
  );
}

const KYSELY: Readonly<Record<string, Access>> = {
  insertInto: "writes",
  updateTable: "writes",
  deleteFrom: "writes",
  mergeInto: "writes",
  selectFrom: "reads",
  innerJoin: "reads",
  leftJoin: "reads",
};
const IS_SQL = /^\s*(?:select|insert|update|delete|with|merge)\b/i;

type Node = { type: string; [key: string]: unknown };
type Context = { filename: string; report(found: { node: Node; message: string }): void };

const owners = {
  create(context: Context): Record<string, (node: Node) => void> {
    const root = dirname(import.meta.dirname);
    const path = relative(root, context.filename).split(sep).join("/");
    if (!path.startsWith("packages/server/src/") || path.endsWith(".test.ts")) return {};
    const judge = (node: Node, access: Access, table: string) => {
      const message = refuseTable(path, access, table);
      if (message !== undefined) context.report({ node, message });
    };
    const judgeText = (node: Node, text: string) => {
      for (const { access, table } of tablesIn(text)) judge(node, access, table);
    };
    return {
      TaggedTemplateExpression(node) {
        const { quasis } = node["quasi"] as { quasis: { value: { raw: string } }[] };
        if ((node["tag"] as { name?: string }).name === "sql")
          judgeText(node, quasis.map(({ value }) => value.raw).join("$"));
      },
      Literal(node) {
        const { value } = node;
        if (typeof value === "string" && IS_SQL.test(value)) judgeText(node, value);
      },
      CallExpression(node) {
        const { property } = node["callee"] as { property?: { name?: string } };
        const access = KYSELY[property?.name ?? ""];
        const [first] = node["arguments"] as { value?: unknown }[];
        const [table = ""] = typeof first?.value === "string" ? first.value.split(" ") : [];
        if (access !== undefined && Object.hasOwn(OWNERS, table)) judge(node, access, table);
      },
    };
  },
};

export default { meta: { name: "tables" }, rules: { owners } };
