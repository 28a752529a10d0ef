import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { readConfig, type Config } from "./config.ts";

const KEY = randomBytes(32).toString("base64");
const LEAST = {
  DATABASE_URL: "postgres://signalbox:word@127.0.0.1/signalbox",
  SEALING_KEYS: `k1:${KEY}`,
};

function configOf(variables: Record<string, string>): Config {
  const result = readConfig({ ...LEAST, ...variables });
  if ("mistakes" in result) throw new Error(result.mistakes);
  return result.config;
}

function mistakesIn(variables: Record<string, string | undefined>): string {
  const result = readConfig({ ...LEAST, ...variables });
  return "mistakes" in result ? result.mistakes : "";
}

describe("configuration", () => {
  it("a delivery is retried after 1, 3, 10, 30, 60, 120 and 300 s by default, for 15 minutes, or 24 hours while a webhook is down", () => {
    const { retry, expireMs } = configOf({}).delivery;
    assert.deepEqual(retry, {
      delaysMs: [1_000, 3_000, 10_000, 30_000, 60_000, 120_000, 300_000],
      blockedMaxMs: 900_000,
    });
    assert.equal(expireMs, 86_400_000);
  });

  it("only two settings are required, and the defaults suit one small machine", () => {
    const config = configOf({});
    assert.equal(config.database.migrationUrl, LEAST.DATABASE_URL);
    assert.deepEqual(config.http, {
      host: "127.0.0.1",
      port: 8080,
      publicUrl: undefined,
      inboxUrl: "http://127.0.0.1:8080",
      trustedProxies: ["127.0.0.0/8", "::1"],
      rateLimitPerSecond: 100,
      checksPerMinute: 10,
      isConsoleServed: true,
    });
    assert.equal(
      configOf({ PUBLIC_URL: "https://a.example/chat/" }).http.publicUrl,
      "https://a.example/chat",
    );
    const inboxAt = (settings: Record<string, string>) => configOf(settings).http.inboxUrl;
    assert.equal(inboxAt({ HOST: "0.0.0.0", PORT: "9000" }), "http://127.0.0.1:9000");
    assert.equal(inboxAt({ HOST: "fd00::7" }), "http://[fd00::7]:8080");
    assert.equal(inboxAt({ INBOX_URL: "http://api:8080/" }), "http://api:8080");
    const nothing = { allowedHosts: [], allowedRanges: [] };
    assert.deepEqual(config.outbound, {
      webhooks: { ...nothing, httpsOnly: false },
      models: nothing,
      imports: nothing,
      connectionLifeMs: 60_000,
    });
    assert.equal(config.shutdownGraceMs, 25_000);
    assert.equal(config.tracing, false);
    for (const name of Object.keys(LEAST))
      assert.match(mistakesIn({ [name]: undefined }), new RegExp(`at ${name}`));
  });

  it("a connection pooler needs a URL that leads past it", () => {
    assert.match(mistakesIn({ DATABASE_POOLER: "true" }), /needs DATABASE_DIRECT_URL/);
    const DATABASE_DIRECT_URL = "postgres://signalbox_service@db.example/signalbox";
    const { pooled, directUrl } = configOf({ DATABASE_POOLER: "true", DATABASE_DIRECT_URL }).database;
    assert.deepEqual([pooled, directUrl], [true, DATABASE_DIRECT_URL]);
    const { pooled: isPooled, directUrl: same, url } = configOf({}).database;
    assert.deepEqual([isPooled, same], [false, url]);
  });

  it("an identity provider needs issuer, client id and secret together, and TLS except on this machine", () => {
    assert.equal(configOf({}).signIn.oidc, undefined);
    const whole = {
      OIDC_ISSUER: "https://id.example/realm",
      OIDC_CLIENT_ID: "signalbox",
      OIDC_CLIENT_SECRET: "word",
    };
    const { oidc, outbound } = configOf(whole).signIn;
    assert.deepEqual(oidc, {
      issuer: "https://id.example/realm",
      clientId: "signalbox",
      clientSecret: "word",
      label: "single sign-on",
    });
    assert.deepEqual(outbound, { allowedHosts: [{ host: "id.example", port: 443 }], allowedRanges: [] });
    for (const name of Object.keys(whole)) assert.match(mistakesIn({ ...whole, [name]: "" }), /set together/);
    assert.match(mistakesIn({ ...whole, OIDC_ISSUER: "http://id.example" }), /Must use https/);
    assert.deepEqual(configOf({ ...whole, OIDC_ISSUER: "http://127.0.0.1:9000" }).signIn.outbound, {
      allowedHosts: [],
      allowedRanges: [{ range: "127.0.0.1", port: 9000 }],
    });
  });

  it("an empty setting counts as absent", () => {
    assert.equal(configOf({ PORT: "", LOG_LEVEL: "", WEBHOOK_ALLOWED_IPS: "" }).http.port, 8080);
    assert.equal(configOf({ OPERATOR_TOKEN: "" }).operatorToken, undefined);
    assert.match(mistakesIn({ SEALING_KEYS: "" }), /at SEALING_KEYS/);
  });

  it("durations are set in seconds, fractions included, and converted to milliseconds", () => {
    const config = configOf({ RECONCILE_GRACE_SECONDS: "0.5", DELIVERY_TIMEOUT_SECONDS: "20" });
    assert.deepEqual([config.reconcile.graceMs, config.delivery.timeoutMs], [500, 20_000]);
  });

  it("sealing keys are listed newest first, each with 32 bytes and a unique name", () => {
    const other = randomBytes(32).toString("base64");
    const keys = configOf({ SEALING_KEYS: `k2:${other} , k1:${KEY}` }).sealingKeys;
    assert.deepEqual(
      keys.map(({ id, material }) => [id, material.toString("base64")]),
      [
        ["k2", other],
        ["k1", KEY],
      ],
    );
    const short = randomBytes(31).toString("base64");
    for (const wrong of [KEY, `k1:${short}`, `:${KEY}`, `k1:${KEY},`, `k1:${KEY},k1:${other}`, `k 1:${KEY}`])
      assert.match(mistakesIn({ SEALING_KEYS: wrong }), /at SEALING_KEYS|Key names must be unique/, wrong);
  });

  it("allowed addresses are IPv4 or IPv6, single or ranges, with an optional port, and anything else is refused", () => {
    const ranges = "127.0.0.1, 10.0.0.0/8:*,fd00::/8 , ::1, 10.0.0.7:8443, [::1]:9000, [fd00::/8]:*";
    assert.deepEqual(configOf({ WEBHOOK_ALLOWED_IPS: ranges }).outbound.webhooks.allowedRanges, [
      { range: "127.0.0.1", port: undefined },
      { range: "10.0.0.0/8", port: "*" },
      { range: "fd00::/8", port: undefined },
      { range: "::1", port: undefined },
      { range: "10.0.0.7", port: 8443 },
      { range: "::1", port: 9000 },
      { range: "fd00::/8", port: "*" },
    ]);
    for (const wrong of [
      "10.0.0.0/33",
      "fd00::/129",
      "10.0.0",
      "10.0.0.0/",
      "10.0.0.0/8/8",
      "10.0.0.0/8:0",
      "10.0.0.0/8:65536",
      "10.0.0.0/8:http",
      "[10.0.0.0/8",
      "localhost",
      "*",
    ])
      assert.match(
        mistakesIn({ WEBHOOK_ALLOWED_IPS: `10.0.0.0/8,${wrong}` }),
        /at WEBHOOK_ALLOWED_IPS\[1\]/,
        wrong,
      );
  });

  it("allowed hosts are names with an optional port, separate for each purpose", () => {
    const { outbound } = configOf({
      WEBHOOK_ALLOWED_HOSTS: "desk.internal, desk.internal:8080",
      MODEL_ALLOWED_HOSTS: "ollama:11434",
      WEBHOOK_HTTPS_ONLY: "true",
    });
    assert.deepEqual(outbound.webhooks, {
      allowedHosts: [
        { host: "desk.internal", port: undefined },
        { host: "desk.internal", port: 8080 },
      ],
      allowedRanges: [],
      httpsOnly: true,
    });
    assert.deepEqual(outbound.models.allowedHosts, [{ host: "ollama", port: 11_434 }]);
    assert.deepEqual(outbound.imports, { allowedHosts: [], allowedRanges: [] });
    for (const wrong of ["desk:", "desk:99999", "http://desk", "desk:80:80", "a b"])
      assert.match(mistakesIn({ IMPORT_ALLOWED_HOSTS: wrong }), /at IMPORT_ALLOWED_HOSTS\[0\]/, wrong);
  });

  it("an operator token that is guessable or does not fit a header is refused", () => {
    for (const wrong of ["short", "with blank ".repeat(4), "ü".repeat(40), "t".repeat(201)])
      assert.match(mistakesIn({ OPERATOR_TOKEN: wrong }), /at OPERATOR_TOKEN/);
  });

  it("traces carry content only where the variable for it is true", () => {
    const name = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";
    const contentOf = (value: string) => configOf({ [name]: value }).traceContent;
    assert.deepEqual(["", "false", "1", "true"].map(contentOf), [false, false, false, true]);
  });

  it("tracing is turned on only by an OTLP endpoint", () => {
    assert.equal(configOf({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" }).tracing, true);
    assert.equal(
      configOf({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:4318/v1/traces" }).tracing,
      true,
    );
    assert.equal(
      configOf({ OTEL_SERVICE_NAME: "signalbox", OTEL_EXPORTER_OTLP_ENDPOINT: "" }).tracing,
      false,
    );
  });

  it("every configuration mistake is reported at once, without values", () => {
    const mistakes = mistakesIn({
      PORT: "0",
      LOG_LEVEL: "loud",
      SEALING_KEYS: "k1:planted",
      OPERATOR_TOKEN: "planted",
    });
    for (const name of ["PORT", "LOG_LEVEL", "SEALING_KEYS", "OPERATOR_TOKEN"])
      assert.match(mistakes, new RegExp(`at ${name}`));
    assert.equal(mistakes.includes("planted"), false);
  });
});
