import { notAccepted, PATHS } from "./judging.ts";
import { type Probe, type Prober, textOutput } from "./probing.ts";
import type { Finding } from "./report.ts";
import type { Rule } from "./rule.ts";

/** Sends each probe as `send` does and gives those whose number of effects is not as it should be. */
async function withEffects(
  prober: Prober,
  send: (probe: Probe) => Promise<unknown>,
  isWrong: (effects: number, at: number) => boolean,
): Promise<Probe | undefined> {
  const probes = prober.kinds.map((kind): Probe => prober.probe(kind));
  for (const probe of probes) await send(probe);
  const effects = await prober.effectsOf(probes);
  return probes.find((_, at) => isWrong(effects[at] ?? 0, at));
}

function invisible({ kind }: Probe): Finding {
  return {
    found: `a request to ${PATHS[kind]} does not appear in the effects`,
    fix: "Make the effects show the text or the ids of every handled request, each time it is handled.",
  };
}

const UNICODE = "Zażółć gęślą 你好";
/** What a program sees that takes UTF-8 for Latin-1 or for Windows-1252. */
const MISREAD = ["ZaÅ¼Ã³Å", "ZaÅ¼Ã³Å‚Ä‡"];

function escaped(text: string): string {
  return text.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export const onceRules: Rule[] = [
  {
    id: "handles",
    about: "4.5–4.8",
    title: "Handles a real request",
    needs: "effects",
    async check(prober) {
      const unseen = await withEffects(
        prober,
        (probe) => prober.send(probe),
        (effects) => effects === 0,
      );
      return unseen === undefined ? undefined : invisible(unseen);
    },
  },
  {
    id: "reads-utf8",
    about: "4.5, 4.7",
    title: "Reads text as UTF-8",
    needs: "effects",
    async check(prober) {
      const kind = prober.kinds.includes("message") ? "message" : "user_message";
      const mark = `conform-${crypto.randomUUID().slice(0, 13)}`;
      const text = `${mark} ${UNICODE}`;
      const probe =
        kind === "message"
          ? prober.probe(kind, { output: [textOutput(text)] })
          : prober.probe(kind, { body: text });
      await prober.send(probe);
      const shown = await prober.effectsText();
      const after = (shown.split(mark)[1] ?? "").slice(0, 200);
      const begins = (words: string) => after.toLowerCase().includes(words.toLowerCase());
      if (begins(UNICODE) || begins(escaped(UNICODE))) return undefined;
      if (MISREAD.some((words) => begins(words) || begins(escaped(words))))
        return {
          found: `${PATHS[kind]} read UTF-8 as Latin-1`,
          fix: "Decode the body as UTF-8, regardless of your framework's default. JSON is always UTF-8.",
        };
      return { notSeen: "skipped: the effects do not show the text of a request" };
    },
  },
  {
    id: "test-ignored",
    about: "4.3",
    title: "Does not handle an availability test (istest)",
    needs: "effects",
    async check(prober) {
      const handled = await withEffects(
        prober,
        (probe) => prober.send(probe, { body: { ...probe.body, istest: true } }),
        (effects) => effects > 0,
      );
      if (handled === undefined) return undefined;
      return {
        found: `${PATHS[handled.kind]} handled an availability test as a real message`,
        fix: "Check istest before anything else, and return 200 without storing or forwarding the request.",
      };
    },
  },
  {
    id: "repeat-answered",
    about: "retries",
    title: "Responds to a retry with HTTP 200",
    async check(prober) {
      for (const kind of prober.kinds) {
        const probe = prober.probe(kind);
        const webhookId = crypto.randomUUID();
        await prober.send(probe, { webhookId });
        const finding = notAccepted(kind, await prober.send(probe, { webhookId, attempt: 2 }));
        if (finding === undefined) continue;
        return {
          found: `${finding.found} to a retry`,
          fix: "Return 200 for a webhook-id you have already handled. Otherwise Signalbox keeps retrying.",
        };
      }
      return undefined;
    },
  },
  {
    id: "repeat-ignored",
    about: "retries",
    title: "Handles a retry only once",
    needs: "effects",
    async check(prober) {
      // A log may name a call more than once each time it is handled.
      const samples = prober.kinds.map((kind): Probe => prober.probe(kind));
      for (const sample of samples) await prober.send(sample);
      const once = await prober.effectsOf(samples);
      const unseen = samples.find((_, at) => once[at] === 0);
      if (unseen !== undefined) return invisible(unseen);
      const twice = await withEffects(
        prober,
        async (probe) => {
          const webhookId = crypto.randomUUID();
          for (const attempt of [1, 2, 3]) await prober.send(probe, { webhookId, attempt });
        },
        (effects, at) => effects > (once[at] ?? 0),
      );
      if (twice === undefined) return undefined;
      return {
        found: `${PATHS[twice.kind]} handled one request more than once`,
        fix: "Store the webhook-id of every handled request in the same transaction as its effect, for at least a day.",
      };
    },
  },
];
