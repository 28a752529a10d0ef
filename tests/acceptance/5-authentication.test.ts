import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:http2";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ROUTE_NAMES, routes } from "@signalbox/contract";
import type { Auth } from "@signalbox/contract";
import { callerOf, makeAgent, operatorOf, refusal } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { eventually } from "../support/processes.ts";
import { sampleRequest, UNKNOWN_IDS } from "../support/sample-requests.ts";
import { asOperator, bearer, JSON_TYPE, sendRequest } from "../support/wire.ts";
import type { WireAnswer } from "../support/wire.ts";
import { atMost } from "../support/machine.ts";

const routesOf = (auth: Auth) => ROUTE_NAMES.filter((name) => routes[name].auth === auth);
const UNKNOWN_KEY = `sbx_${"A".repeat(40)}`;

describe("5 authentication", () => {
  let bed: Bed;
  before(async () => {
    bed = await openBed({ apis: 2, workers: 1 });
  });
  after(() => bed[Symbol.asyncDispose]());

  const send = (name: (typeof ROUTE_NAMES)[number], headers: Record<string, string>, body?: string) => {
    const sample = sampleRequest(name, UNKNOWN_IDS);
    return sendRequest(bed.baseUrl, {
      ...sample,
      headers: { ...sample.headers, ...headers },
      ...(body === undefined ? {} : { body }),
    });
  };

  const isRefused = (answer: WireAnswer, name: string, code = 40127) => {
    const failure = answer.body as { code: number; message: string };
    const status = Math.floor(code / 100);
    assert.deepEqual([answer.status, failure.code], [status, code], `${name}: ${answer.text}`);
    assert.deepEqual(Object.keys(failure), ["code", "message"]);
    assert.match(answer.headers["content-type"] ?? "", /^application\/json\b/);
  };

  it("a missing, wrong, expired or revoked key is refused with 40127 on every endpoint that takes one", async () => {
    const agent = await makeAgent(bed, { webhook: false });
    const operator = operatorOf(bed);
    const { agentId: agent_id } = agent;
    const expired = await operator.keys.create({ agent_id, name: "old", expire_time: Date.now() - 1_000 });
    const revoked = await operator.keys.create({ agent_id, name: "lost" });
    await operator.keys.revoke({ agent_id, key_id: revoked.key_id });
    const wrong: Record<string, Record<string, string>> = {
      missing: {},
      empty: { authorization: "" },
      "without a scheme": { authorization: agent.apiKey },
      "of another scheme": { authorization: `Basic ${Buffer.from(`${agent.apiKey}:`).toString("base64")}` },
      ...Object.fromEntries(
        ["Basic", "Token", "ApiKey", "Digest", "Bearer:", "key"].map((scheme) => [
          `of the scheme ${scheme}`,
          { authorization: `${scheme} ${agent.apiKey}` },
        ]),
      ),
      unknown: bearer(UNKNOWN_KEY),
      "one character short": bearer(agent.apiKey.slice(0, -1)),
      "with something behind it": bearer(`${agent.apiKey} x`),
      expired: bearer(expired.api_key),
      revoked: bearer(revoked.api_key),
      "the operator token": asOperator(bed),
    };
    const names = [...routesOf("apiKey"), ...routesOf("humanService")];
    assert.ok(names.length >= 4);
    for (const name of names) {
      for (const [what, headers] of Object.entries(wrong))
        isRefused(await send(name, headers), `${name} ${what}`);
    }
  });

  it("a key of a deleted agent is refused with 40378 on every endpoint that takes one", async () => {
    const agent = await makeAgent(bed, { webhook: false });
    await agent.client.keys.verify();
    await operatorOf(bed).agents.delete({ agent_id: agent.agentId });
    await eventually(
      "the deletion is in force",
      async () => (await refusal(agent.client.keys.verify())).code === 40378,
    );
    for (const name of [...routesOf("apiKey"), ...routesOf("humanService")])
      isRefused(await send(name, bearer(agent.apiKey)), name, 40378);
  });

  it("every path of /admin/v1 requires the operator token and refuses an API key", async () => {
    const agent = await makeAgent(bed, { webhook: false });
    const names = routesOf("operator");
    assert.ok(names.length >= 10 && names.every((name) => routes[name].path.startsWith("/admin/v1/")));
    for (const name of names) {
      for (const headers of [{}, bearer(agent.apiKey), bearer(`${bed.operatorToken}x`), bearer("operator")])
        isRefused(await send(name, headers), name);
    }
  });

  it("/metrics requires the operator token on api and worker", async () => {
    for (const service of [bed.api(), bed.worker()]) {
      const ask = (headers: Record<string, string>) =>
        sendRequest(service.baseUrl, { path: "/metrics", headers });
      isRefused(await ask({}), "/metrics");
      isRefused(await ask(bearer(UNKNOWN_KEY)), "/metrics");
      assert.equal((await ask(asOperator(bed))).status, 200);
    }
  });

  it("authentication comes before the body is read", async () => {
    const bodies = { malformed: "{", huge: " ".repeat(2 * 1024 * 1024), deep: "[".repeat(100), empty: "{}" };
    const known = ROUTE_NAMES.filter((route) => "body" in routes[route] && routes[route].auth !== "browser");
    for (const name of known) {
      for (const [what, body] of Object.entries(bodies))
        for (const headers of [bearer(UNKNOWN_KEY), {}])
          isRefused(await send(name, headers, body), `${name} ${what} ${Object.keys(headers).join()}`);
      isRefused(await send(name, { "content-type": "text/plain" }, "words"), `${name} as text`);
      isRefused(await send(name, { "idempotency-key": "two words" }), `${name} with a bad Idempotency-Key`);
    }
    const agent = await makeAgent(bed, { webhook: false });
    isRefused(await send("createConversation", bearer(agent.apiKey), "{"), "a caller learns it", 40000);
  });

  it("an agent may have many keys, each working on its own", async () => {
    const agent = await makeAgent(bed, { webhook: false });
    const operator = operatorOf(bed);
    const { agentId: agent_id } = agent;
    const keys = await Promise.all(
      Array.from({ length: 5 }, (_, at) => operator.keys.create({ agent_id, name: `key ${at}` })),
    );
    assert.equal(new Set(keys.map(({ api_key }) => api_key)).size, 5);
    for (const { api_key } of keys)
      assert.deepEqual(await callerOf(bed, api_key).keys.verify(), {
        entity_type: "agent",
        entity_id: agent_id,
      });
    const [first, ...others] = keys;
    await operator.keys.revoke({ agent_id, key_id: first?.key_id ?? "" });
    await sleep(2_500);
    assert.equal((await refusal(callerOf(bed, first?.api_key ?? "").keys.verify())).code, 40127);
    for (const { api_key } of others) await callerOf(bed, api_key).keys.verify();
  });

  it("a revoked key ends on both nodes within 5 s, even if both have just used it", async () => {
    const agent = await makeAgent(bed, { webhook: false });
    const callers = bed.apis.map(({ baseUrl }) => callerOf(bed, agent.apiKey, baseUrl));
    await Promise.all(callers.map((caller) => caller.keys.verify()));
    await operatorOf(bed).keys.revoke({ agent_id: agent.agentId, key_id: agent.keyId });
    const revokedAt = performance.now();
    const refusedAfterMs = await Promise.all(
      callers.map(async (caller) => {
        // Asked all the time, so that a cache that lives from its last use would never let go.
        while (
          await caller.keys.verify().then(
            () => true,
            () => false,
          )
        )
          await sleep(20);
        assert.equal((await refusal(caller.keys.verify())).code, 40127);
        return performance.now() - revokedAt;
      }),
    );
    for (const ms of refusedAfterMs) atMost(ms, 5_000, "a revoked key is refused");
  });

  it("a key ends when it expires, while it is in use", async () => {
    const agent = await makeAgent(bed, { webhook: false });
    const expire_time = Date.now() + 1_500;
    const key = await operatorOf(bed).keys.create({ agent_id: agent.agentId, name: "brief", expire_time });
    assert.equal(key.expire_time, expire_time);
    const caller = callerOf(bed, key.api_key);
    await caller.keys.verify();
    await sleep(expire_time + 2_500 - Date.now());
    assert.equal((await refusal(caller.keys.verify())).code, 40127);
  });

  it("a key is shown once, and only its hash is stored", async () => {
    const agent = await makeAgent(bed, { webhook: false });
    assert.match(agent.apiKey, /^sbx_[A-Za-z0-9]{40}$/);
    const { list } = await operatorOf(bed).keys.list({ agent_id: agent.agentId });
    assert.deepEqual(
      list.map(({ key_id, prefix }) => [key_id, prefix]),
      [[agent.keyId, agent.apiKey.slice(0, 8)]],
    );
    assert.equal(JSON.stringify(list).includes(agent.apiKey.slice(8)), false);
    const [stored] = await bed.database.query<{ key_hash: Buffer; everything: string }>(
      "select key_hash, api_key::text as everything from api_key where id = $1",
      [agent.keyId],
    );
    assert.deepEqual(stored?.key_hash, createHash("sha256").update(agent.apiKey).digest());
    assert.equal(stored?.everything.includes(agent.apiKey.slice(8)), false);
  });

  it("the health probe needs no key, and an agent's key names that agent", async () => {
    assert.equal((await send("serviceHealth", {})).status, 200);
    const agent = await makeAgent(bed, { webhook: false });
    const answer = await sendRequest(bed.baseUrl, {
      path: "/v1/api-key/verify",
      headers: { authorization: `bearer  ${agent.apiKey}`, ...JSON_TYPE },
    });
    assert.deepEqual(answer.body, { entity_type: "agent", entity_id: agent.agentId });
  });

  it("calls to the engine's service port without the engine's signature are refused", async () => {
    const answer = await fetch(`${bed.engine.adminUrl}/deployments`);
    const { deployments } = (await answer.json()) as { deployments: { uri: string }[] };
    const uri = deployments[0]?.uri ?? assert.fail("no worker is registered");
    const key = `${"0".repeat(8)}-0000-7000-8000-${"0".repeat(12)}`;
    for (const path of ["/discover", "/invoke/lane/drain", `/invoke/turn/run?key=${key}.${key}`])
      for (const headers of [{}, forgedIdentity(bed.environment["ENGINE_IDENTITY_KEYS"] ?? "", path)])
        assert.equal(
          await callServicePort(uri, path, headers),
          401,
          `${path} ${Object.keys(headers).join()}`,
        );
  });
});

/** What the engine would send with a key of its own, signed with another: the name of the key proves nothing. */
function forgedIdentity(publicKey: string, path: string): Record<string, string> {
  const seconds = Math.floor(Date.now() / 1000);
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${encode({ typ: "JWT", alg: "EdDSA", kid: publicKey })}.${encode({
    aud: path,
    exp: seconds + 60,
    iat: seconds,
    nbf: seconds - 60,
  })}`;
  const signature = sign(null, Buffer.from(signed), generateKeyPairSync("ed25519").privateKey);
  return {
    "x-restate-signature-scheme": "v1",
    "x-restate-jwt-v1": `${signed}.${signature.toString("base64url")}`,
  };
}

async function callServicePort(uri: string, path: string, headers: Record<string, string>): Promise<number> {
  const session = connect(uri);
  try {
    const isDiscovery = path === "/discover";
    const request = session.request({
      ":method": isDiscovery ? "GET" : "POST",
      ":path": path,
      ...(isDiscovery
        ? { accept: "application/vnd.restate.endpointmanifest.v1+json" }
        : { "content-type": "application/vnd.restate.invocation.v5" }),
      ...headers,
    });
    request.end();
    const [answered] = (await once(request, "response")) as [Record<string, unknown>];
    request.close();
    return Number(answered[":status"]);
  } finally {
    session.destroy();
  }
}
