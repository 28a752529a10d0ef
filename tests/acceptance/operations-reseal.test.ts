import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { makeAgent, operatorOf } from "../support/agents.ts";
import type { MadeAgent } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { joinAs } from "../support/members.ts";
import { enrol } from "../support/one-time-codes.ts";
import { freePorts } from "../support/processes.ts";
import { PROGRAM, startService } from "../support/service.ts";

const exec = promisify(execFile);

describe("reseal", () => {
  let bed: Bed;
  let agent: MadeAgent;
  let rotatedSecret = "";
  let conversationId = "";
  before(async () => {
    bed = await openBed({ apis: 1, workers: 0 });
    agent = await makeAgent(bed, { webhook: { username: "developer", secret: "planted-word" } });
    await agent.component({ username: "desk", secret: "planted-desk" });
    const { agentId: agent_id } = agent;
    // Both signing secrets are stored from now on.
    const rotated = await operatorOf(bed).webhooks.rotateSecret({ agent_id, overlap_seconds: 3_600 });
    rotatedSecret = rotated.signing_secret;
    conversationId = await agent.converse();
    await enrol(bed, await joinAs(bed, { role: "viewer" }));
  });
  after(() => bed[Symbol.asyncDispose]());

  const oldKey = () => bed.environment["SEALING_KEYS"] ?? "";
  const newKey = `k2:${randomBytes(32).toString("base64")}`;

  /** A message goes its whole way through a worker that has these keys and no others. */
  async function delivers(sealingKeys: string): Promise<void> {
    const [port = 0, enginePort = 0] = await freePorts(2);
    await using _worker = await startService({
      role: "worker",
      name: `worker-${port}`,
      port,
      directory: bed.directory,
      environment: {
        ...bed.environment,
        SEALING_KEYS: sealingKeys,
        ENGINE_SERVICE_PORT: String(enginePort),
        ENGINE_SERVICE_URI: `http://127.0.0.1:${enginePort}`,
      },
    });
    const before = agent.arrived().length;
    await agent.ask(conversationId, "hello");
    const request = (await agent.arrivals(before + 1, 20_000))[before];
    const basic = `Basic ${Buffer.from("developer:planted-word").toString("base64")}`;
    assert.equal(request?.headers["authorization"], basic);
    for (const secret of [agent.signingSecret, rotatedSecret])
      new Webhook(secret).verify(String(request?.bodyBytes), request?.headers as Record<string, string>);
  }

  async function reseal(sealingKeys: string): Promise<string> {
    const env = { PATH: process.env["PATH"] ?? "", ...bed.environment, SEALING_KEYS: sealingKeys };
    return (await exec(process.execPath, [PROGRAM, "reseal"], { env })).stdout.trim();
  }

  async function keysInUse(): Promise<string[]> {
    const columns = ["username", "secret", "signing_secret", "previous_signing_secret"];
    const rows = await bed.database.query<{ sealed: Buffer }>(
      columns
        .map((column) => `select ${column}_sealed as sealed from webhook where ${column}_sealed is not null`)
        .concat("select secret_sealed from account_totp")
        .join(" union all "),
    );
    assert.equal(rows.length, 8, "four of the message webhook, three of the component, one of an account");
    assert.equal(
      rows.some(({ sealed }) => sealed.includes("planted-") || sealed.includes("whsec_")),
      false,
    );
    return [...new Set(rows.map(({ sealed }) => sealed.subarray(2, 2 + (sealed[1] ?? 0)).toString()))];
  }

  it("reseal moves every stored secret to the newest key, so that the old one can be removed", async () => {
    await delivers(oldKey());
    assert.deepEqual(await keysInUse(), ["k1"]);

    const both = `${newKey},${oldKey()}`;
    await delivers(both);
    assert.deepEqual(await keysInUse(), ["k1"], "a new key alone moves nothing");
    assert.equal(await reseal(both), "3 webhooks, models and second factors encrypted with the newest key");
    assert.deepEqual(await keysInUse(), ["k2"]);
    assert.equal(await reseal(both), "0 webhooks, models and second factors encrypted with the newest key");

    await delivers(newKey);
  });

  it("the service does not start without a needed sealing key or with other bytes under its name", async () => {
    const material = () => randomBytes(32).toString("base64");
    for (const [sealingKeys, reason] of [
      [`k3:${material()}`, /^Signalbox cannot start: SEALING_KEYS lacks the key "k2" [^\n]*reseal\n$/],
      [`k2:${material()}`, /^Signalbox cannot start: the key "k2" in SEALING_KEYS is not the one [^\n]*\n$/],
    ] as const) {
      const env = {
        PATH: process.env["PATH"] ?? "",
        ...bed.environment,
        SEALING_KEYS: sealingKeys,
        PORT: String((await freePorts(1))[0]),
      };
      const started = exec(process.execPath, [PROGRAM, "api"], { env, timeout: 60_000 });
      await assert.rejects(started, (error: { code: number; stderr: string }) => {
        assert.equal(error.code, 1, "it ends by itself");
        assert.match(error.stderr, reason);
        return true;
      });
    }
  });

  it("reseal without the old key changes nothing", async () => {
    const stranger = `k3:${randomBytes(32).toString("base64")}`;
    await assert.rejects(reseal(stranger), /SEALING_KEYS lacks the key "k2"/);
    assert.deepEqual(await keysInUse(), ["k2"]);
  });
});
