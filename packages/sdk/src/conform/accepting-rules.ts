import { HUMAN_MESSAGE_MAX_CHARACTERS, MESSAGE_TEXT_MAX_CHARACTERS } from "@signalbox/contract";
import { notAccepted, notAcknowledged, PATHS } from "./judging.ts";
import { type Probe, type Prober, textOutput } from "./probing.ts";
import type { Finding } from "./report.ts";
import type { Rule } from "./rule.ts";

const TOGETHER = 20;
const HANDOFF_ITEMS = 20;

/** Sends one probe after the other, up to the first that is not answered with 200. */
async function firstRefused(
  prober: Prober,
  probes: readonly Probe[],
  changes?: Parameters<Prober["send"]>[1],
): Promise<Finding | undefined> {
  for (const probe of probes) {
    const finding = notAccepted(probe.kind, await prober.send(probe, changes));
    if (finding !== undefined) return finding;
  }
  return undefined;
}

/** One ordinary call of each kind; those of a human service belong to one handoff, in its order. */
function ordinary(prober: Prober): Probe[] {
  const handoff = { conversation_id: crypto.randomUUID() };
  return prober.kinds.map((kind) => (kind === "message" ? prober.probe(kind) : prober.probe(kind, handoff)));
}

export const acceptingRules: Rule[] = [
  {
    id: "answers-200",
    about: "4.5–4.8",
    title: "Responds to every request with HTTP 200",
    first: true,
    async check(prober) {
      const contacts = await prober.firstContact();
      return contacts
        .map(({ kind, result }) => notAccepted(kind, result))
        .find((finding) => finding !== undefined);
    },
  },
  {
    id: "in-time",
    about: "4.3",
    title: "Responds in time",
    first: true,
    async check(prober) {
      for (const { kind, result } of await prober.firstContact()) {
        if (result.kind === "unanswered") return notAccepted(kind, result);
        if (result.durationMs <= prober.timeLimitMs) continue;
        return {
          found: `${PATHS[kind]} took ${result.durationMs} ms; the limit is ${prober.timeLimitMs} ms`,
          fix: "Respond first and process later: put the message in a queue and return 200.",
        };
      }
      return undefined;
    },
  },
  {
    id: "acknowledges",
    about: "4.5–4.8",
    title: "Acknowledges with the body the specification requires",
    async check(prober) {
      const contacts = await prober.firstContact();
      return contacts
        .map(({ kind, result }) => notAcknowledged(kind, result))
        .find((finding) => finding !== undefined);
    },
  },
  {
    id: "test-answered",
    about: "4.3",
    title: "Responds to an availability test (istest) with HTTP 200",
    async check(prober) {
      const probes = ordinary(prober).filter(({ kind }) => kind !== "handoff_closed");
      for (const probe of probes) {
        const finding = notAccepted(
          probe.kind,
          await prober.send(probe, { body: { ...probe.body, istest: true } }),
        );
        if (finding === undefined) continue;
        return {
          found: `${finding.found} to an availability test`,
          fix: "Return 200 as soon as the body contains istest: true, on the message webhook, /conversation/establish and /chat.",
        };
      }
      return undefined;
    },
  },
  {
    id: "takes-together",
    about: "4.5–4.8",
    title: `Handles ${TOGETHER} conversations at once`,
    async check(prober) {
      const [kind = "message"] = prober.kinds;
      const probes = Array.from({ length: TOGETHER }, () => prober.probe(kind));
      const results = await Promise.all(probes.map((probe) => prober.send(probe)));
      return results.map((result) => notAccepted(kind, result)).find((finding) => finding !== undefined);
    },
  },
  {
    id: "takes-every-message",
    about: "4.5",
    title: "Accepts every valid message",
    only: "message",
    check: (prober) =>
      firstRefused(prober, [
        prober.probe("message", { user_id: null, anonymous_id: null }),
        prober.probe("message", { output: [textOutput("one"), textOutput("two", "model")] }),
        prober.probe("message", { output: [textOutput("A person answers.", "human")] }),
        prober.probe("message", { output: [textOutput("You are being connected.", "notice")] }),
        prober.probe("message", {
          output: [
            {
              ...textOutput(""),
              content: { text: "", audio: [{ audio: "https://example.com/a.mp3", transcript: "hello" }] },
            },
          ],
        }),
      ]),
  },
  {
    id: "takes-every-handoff",
    about: "4.6–4.8",
    title: "Accepts every valid handoff",
    only: "human-service",
    check: (prober) =>
      firstRefused(prober, [
        prober.probe("handoff_requested", {
          email: null,
          body: [],
          user_info: { phone: null, email: null, user_id: null, anonymous_id: null },
        }),
        prober.probe("handoff_closed", { type: "TIMEOUT" }),
        prober.probe("handoff_closed", { type: "USER_CLOSED" }),
      ]),
  },
  {
    id: "closes-unknown",
    about: "4.8",
    title: "Acknowledges the close of an unknown handoff",
    only: "human-service",
    async check(prober) {
      const probe = { ...prober.probe("handoff_closed", { type: "TIMEOUT" }), followsHandoff: false };
      const finding = notAccepted(probe.kind, await prober.send(probe));
      if (finding === undefined) return undefined;
      return {
        found: `${finding.found} for an unknown handoff`,
        fix: "Return 200. Signalbox also closes handoffs whose request you rejected, or whose response was lost.",
      };
    },
  },
  {
    id: "takes-unicode",
    about: "4.5, 4.7",
    title: "Accepts any text: other scripts, emoji, line breaks, quotes",
    check: (prober) => {
      const text = 'Zażółć "gęślą" 你好，世界 مرحبا 👩‍💻\n\t\\ \u2028 <b>&amp;</b>';
      return firstRefused(
        prober,
        prober.kinds.flatMap((kind): Probe[] => {
          if (kind === "message") return [prober.probe(kind, { output: [textOutput(text)] })];
          if (kind === "user_message") return [prober.probe(kind, { body: text })];
          return [];
        }),
      );
    },
  },
  {
    id: "takes-long",
    about: "4.5, 4.6",
    title: "Accepts the longest texts",
    check: (prober) =>
      firstRefused(
        prober,
        prober.kinds.flatMap((kind): Probe[] => {
          const long = "长".repeat(MESSAGE_TEXT_MAX_CHARACTERS);
          if (kind === "message")
            return [prober.probe(kind, { output: [textOutput(long), textOutput(long)] })];
          if (kind !== "handoff_requested") return [];
          const item = { text: "长".repeat(HUMAN_MESSAGE_MAX_CHARACTERS), message_type: "QUESTION" as const };
          return [prober.probe(kind, { body: Array.from({ length: HANDOFF_ITEMS }, () => item) })];
        }),
      ),
  },
];
