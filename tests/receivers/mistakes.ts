import { conform, type ConformOptions } from "@signalbox/sdk/conform";
import { type Defect, SECRET, SIGNING_SECRET, startHandwritten, USERNAME } from "./handwritten-receiver.ts";

/** A receiver with one mistake, or with none, held against every rule. */
export async function judge(defect?: Defect, options: Partial<ConformOptions> = {}) {
  await using receiver = await startHandwritten(defect);
  return await conform({
    url: receiver.url,
    as: "both",
    username: USERNAME,
    secret: SECRET,
    signingSecret: SIGNING_SECRET,
    effects: () => receiver.effects(),
    effectsDelayMs: 20,
    timeLimitMs: 1_000,
    ...options,
  });
}

/** Which rule must catch a mistake, and what the developer is told about it. */
export const CAUGHT: Record<Defect, [rule: string, found: RegExp, fix: RegExp]> = {
  "wrong secret accepted": [
    "wrong-credentials",
    /the message webhook responded with HTTP 200 to wrong credentials/,
    /whole Authorization header/,
  ],
  "no credentials asked": [
    "no-credentials",
    /the message webhook responded with HTTP 200/,
    /whole Authorization header/,
  ],
  "close left open": ["wrong-signature", /\/conversation\/close responded with HTTP 200/, /on every path/],
  "signature ignored": [
    "wrong-signature",
    /responded with HTTP 200/,
    /Standard Webhooks library over the raw body/,
  ],
  "old signature accepted": ["stale-signature", /responded with HTTP 200/, /five minutes/],
  "first signature only": [
    "second-signature",
    /HTTP 401 while the secret is being rotated/,
    /all signatures/,
  ],
  "parsed body": ["raw-bytes", /HTTP 401 to a body with other whitespace/, /above express\.json\(\)/],
  "istest handled": [
    "test-ignored",
    /handled an availability test as a real message/,
    /istest before anything else/,
  ],
  "istest refused": ["test-answered", /HTTP 400 to an availability test/, /istest: true/],
  "no dedup": ["repeat-ignored", /handled one request more than once/, /webhook-id/],
  "repeat refused": ["repeat-answered", /HTTP 409 to a retry/, /Return 200 for a webhook-id/],
  redirect: ["answers-200", /responded with HTTP 308 to \/hooks\//, /does not follow redirects/],
  slow: [
    "in-time",
    /the message webhook took \d+ ms; the limit is 1000 ms/,
    /Respond first and process later/,
  ],
  "hangs up": ["answers-200", /closed the connection/, /Send a response before closing/],
  "201": ["answers-200", /responded with HTTP 201/, /set the status to 200/],
  "wrong body": ["acknowledges", /the message webhook responded with OK/, /\{"code":200,"msg":"success"\}/],
  "msg everywhere": [
    "acknowledges",
    /establish responded with \{"code":200,"msg":"success"\}/,
    /"message":"success"/,
  ],
  "100 kB at most": ["takes-long", /HTTP 413/, /limit of the body parser/],
  "null ids refused": ["takes-every-message", /HTTP 422/, /null ids/],
  "one at a time": ["takes-together", /HTTP 503/, /handler failed/],
  "no close path": [
    "answers-200",
    /\/conversation\/close responded with HTTP 404/,
    /\/conversation\/close below it/,
  ],
  "unknown close refused": [
    "closes-unknown",
    /\/conversation\/close responded with HTTP 404 for an unknown handoff/,
    /Return 200/,
  ],
  "handles then refuses": [
    "wrong-credentials",
    /rejected the request but handled it anyway/,
    /before anything else/,
  ],
  "204": ["answers-200", /responded with HTTP 204/, /set the status to 200/],
  "reads latin1": ["reads-utf8", /read UTF-8 as Latin-1/, /Decode the body as UTF-8/],
  "handles nothing": ["handles", /does not appear in the effects/, /each time it is handled/],
};
