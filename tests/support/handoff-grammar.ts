import type { ReceivedRequest } from "./receiver.ts";

export type HandoffCall = {
  handoffId: string;
  kind: "establish" | "chat" | "close";
  webhookId: string;
  sequence: number;
  /** What a close says of itself. */
  closeType: string | undefined;
};

/** How a handoff ended, by the service's own account; undefined while it goes on. */
export type HandoffEnding = "TIMEOUT" | "USER_CLOSED" | "HUMAN_CLOSED" | "REFUSED" | undefined;

export type GrammarFault = { handoffId: string; reason: string };

const KINDS: [suffix: string, kind: HandoffCall["kind"]][] = [
  ["/conversation/establish", "establish"],
  ["/conversation/close", "close"],
  ["/chat", "chat"],
];

/** The calls of 4.6, 4.7 and 4.8 among all that a developer got, in the order of arrival; availability tests are none. */
export function handoffCallsIn(requests: ReceivedRequest[]): HandoffCall[] {
  return requests.flatMap(({ path, headers, body }) => {
    const [, kind] = KINDS.find(([suffix]) => new URL(path, "http://x").pathname.endsWith(suffix)) ?? [];
    const said = body as { conversation_id?: unknown; type?: unknown; istest?: unknown } | undefined;
    if (kind === undefined || typeof said?.conversation_id !== "string" || said.istest === true) return [];
    return [
      {
        handoffId: said.conversation_id,
        kind,
        webhookId: headers["webhook-id"] ?? "",
        sequence: Number(headers["signalbox-sequence"] ?? Number.NaN),
        closeType: typeof said.type === "string" ? said.type : undefined,
      },
    ];
  });
}

/**
 * Each handoff is `establish (chat* close?)?`, judged on first deliveries, with a close exactly when it ended by TIMEOUT
 * or USER_CLOSED. Every handoff has an entry in `endings`; one that was never heard of is a fault too.
 */
export function judgeHandoffs(
  calls: HandoffCall[],
  endings: ReadonlyMap<string, HandoffEnding>,
): GrammarFault[] {
  const byHandoff = Map.groupBy(calls, ({ handoffId }) => handoffId);
  const unknown = [...byHandoff.keys()].filter((handoffId) => !endings.has(handoffId));
  return [
    ...unknown.map((handoffId) => ({ handoffId, reason: "nobody asked for this handoff" })),
    ...[...endings].flatMap(([handoffId, ending]) =>
      reasonsAgainst(firstsOf(byHandoff.get(handoffId) ?? []), ending).map((reason) => ({
        handoffId,
        reason,
      })),
    ),
  ];
}

function firstsOf(calls: HandoffCall[]): HandoffCall[] {
  const seen = new Set<string>();
  return calls.filter(({ webhookId }) => !seen.has(webhookId) && seen.add(webhookId));
}

function reasonsAgainst(calls: HandoffCall[], ending: HandoffEnding): string[] {
  const reasons: string[] = [];
  const sentence = calls.map(({ kind }) => kind).join(" ");
  if (!/^establish( chat)*( close)?$/.test(sentence)) reasons.push(`was told as: ${sentence || "nothing"}`);
  for (const [index, { sequence }] of calls.entries())
    if (sequence !== index + 1) reasons.push(`sequence ${sequence} came where ${index + 1} was due`);
  const closes = calls.filter(({ kind }) => kind === "close");
  const isDue = ending === "TIMEOUT" || ending === "USER_CLOSED";
  if (isDue && closes.length === 0) reasons.push(`ended by ${ending} without a close`);
  if (!isDue && closes.length > 0) reasons.push(`was closed although it ${endedBy(ending)}`);
  for (const { closeType } of closes)
    if (isDue && closeType !== ending) reasons.push(`ended by ${ending} and the close said ${closeType}`);
  return reasons;
}

function endedBy(ending: HandoffEnding): string {
  return ending === undefined ? "goes on" : `ended by ${ending}`;
}
