import { bytesOf, toBase64 } from "../receiver/bytes.ts";
import { type CallToSend, prepareCall } from "../testing/calling.ts";
import { notAccepted, notRefused, PATHS } from "./judging.ts";
import type { Probe, Prober } from "./probing.ts";
import type { Finding } from "./report.ts";
import type { Rule } from "./rule.ts";

const MINUTES_10_MS = 600_000;
const FOREIGN_SECRET = `whsec_${toBase64(bytesOf("a secret of somebody else"))}`;

/** Sends what nobody should believe, to every path: one that is left open is open for everything. */
async function believed(
  prober: Prober,
  fix: string,
  forge: (probe: Probe) => Partial<CallToSend> | Promise<Partial<CallToSend>>,
): Promise<Finding | undefined> {
  const probes = prober.kinds.map((kind): Probe => prober.probe(kind));
  for (const probe of probes) {
    const finding = notRefused(probe.kind, await prober.send(probe, await forge(probe)), fix);
    if (finding !== undefined) return finding;
  }
  if (!prober.has.effects) return undefined;
  const effects = await prober.effectsOf(probes);
  const handled = probes.find((_, at) => (effects[at] ?? 0) > 0);
  if (handled === undefined) return undefined;
  return { found: `${PATHS[handled.kind]} rejected the request but handled it anyway`, fix };
}

const CHECK_CREDENTIALS =
  "Compare the whole Authorization header with the expected one, in constant time, on every path, before anything else.";
const CHECK_SIGNATURE =
  "Verify webhook-signature with a Standard Webhooks library over the raw body, on every path, before anything else.";

export const trustRules: Rule[] = [
  {
    id: "wrong-credentials",
    about: "credentials",
    title: "Rejects wrong credentials",
    needs: "credentials",
    async check(prober) {
      const { username = "", secret } = prober.options;
      const wrong: Partial<CallToSend>[] = secret
        ? [{ secret: `${secret}x` }, { username: `${username}x` }, { secret: undefined }]
        : [{ username: `${username}x` }];
      for (const change of wrong) {
        const finding = await believed(prober, CHECK_CREDENTIALS, () => change);
        if (finding !== undefined) return { ...finding, found: `${finding.found} to wrong credentials` };
      }
      return undefined;
    },
  },
  {
    id: "no-credentials",
    about: "credentials",
    title: "Rejects a request without credentials",
    needs: "credentials",
    check: (prober) => believed(prober, CHECK_CREDENTIALS, () => ({ headers: { authorization: undefined } })),
  },
  {
    id: "wrong-signature",
    about: "signature",
    title: "Rejects a signature made with another secret",
    needs: "signing",
    check: (prober) => believed(prober, CHECK_SIGNATURE, () => ({ signingSecrets: FOREIGN_SECRET })),
  },
  {
    id: "no-signature",
    about: "signature",
    title: "Rejects a request without a signature",
    needs: "signing",
    check: (prober) => believed(prober, CHECK_SIGNATURE, () => ({ signingSecrets: undefined })),
  },
  {
    id: "changed-body",
    about: "signature",
    title: "Rejects a body that differs from the signed one",
    needs: "signing",
    check: (prober) =>
      believed(prober, CHECK_SIGNATURE, async ({ kind }) => {
        const { url, signingSecret: signingSecrets } = prober.options;
        const signed = await prepareCall({ url, kind, body: "{}", signingSecrets });
        const stolen = Object.entries(signed.headers).filter(([name]) => name.startsWith("webhook-"));
        return { headers: Object.fromEntries(stolen) };
      }),
  },
  {
    id: "stale-signature",
    about: "signature",
    title: "Rejects a signature that is ten minutes old",
    needs: "signing",
    check: (prober) =>
      believed(
        prober,
        "Reject a webhook-timestamp that is more than five minutes off. Otherwise a recorded request can be replayed forever.",
        () => ({ signedAtMs: Date.now() - MINUTES_10_MS }),
      ),
  },
  {
    id: "second-signature",
    about: "signature",
    title: "Accepts two signatures if one is valid",
    needs: "signing",
    async check(prober) {
      const { signingSecret = "" } = prober.options;
      for (const kind of prober.kinds) {
        const result = await prober.send(prober.probe(kind), {
          signingSecrets: [FOREIGN_SECRET, signingSecret],
        });
        const finding = notAccepted(kind, result);
        if (finding === undefined) continue;
        return {
          found: `${finding.found} while the secret is being rotated`,
          fix: "Check all signatures in webhook-signature, separated by spaces, not only the first.",
        };
      }
      return undefined;
    },
  },
  {
    id: "raw-bytes",
    about: "signature",
    title: "Verifies the signature over the raw bytes",
    needs: "signing",
    async check(prober) {
      for (const kind of prober.kinds) {
        const probe = prober.probe(kind);
        // The same value in other bytes: a receiver that parses and writes it again before verifying gets another signature.
        const text = JSON.stringify(probe.body, null, 2).replaceAll("conform", "\\u0063onform");
        const finding = notAccepted(kind, await prober.send(probe, { body: text }));
        if (finding === undefined) continue;
        return {
          found: `${finding.found} to a body with other whitespace`,
          fix: "Verify the raw bytes before any JSON parser runs. In Express, mount the receiver above express.json(). In Next, read request.text(). In Fastify, add a buffer parser.",
        };
      }
      return undefined;
    },
  },
];
