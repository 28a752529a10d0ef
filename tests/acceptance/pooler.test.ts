import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { createClient } from "@signalbox/sdk";
import { openBed } from "../support/bed.ts";
import { CLEAN } from "../support/ledger.ts";
import { drained, judgeLoad, LOAD_ENVIRONMENT, prepareLoad, startLoad } from "../support/load.ts";
import { startPgBouncer } from "../support/pgbouncer.ts";
import { SERVICE } from "../support/postgres.ts";
import { freePorts } from "../support/processes.ts";
import { PROGRAM } from "../support/service.ts";

const CONVERSATIONS = 6;
const MESSAGES_EACH = 10;

describe("PgBouncer between the service and PostgreSQL", () => {
  for (const pooler of ["session", "transaction"] as const) {
    it(`every message is delivered once and in order through PgBouncer in ${pooler} mode`, async (t) => {
      await using bed = await openBed({ apis: 1, workers: 1, pooler, environment: LOAD_ENVIRONMENT });
      const target = await prepareLoad(bed, { conversations: CONVERSATIONS, messagesEach: MESSAGES_EACH });
      const load = startLoad(bed, target);
      await load.finished;
      await drained(bed, 60_000);
      assert.deepEqual(judgeLoad(bed, load), CLEAN);
      assert.equal(load.accepted.length, CONVERSATIONS * MESSAGES_EACH);

      const caller = createClient({ baseUrl: bed.baseUrl, apiKey: target.apiKey });
      const { conversation_id } = await caller.conversations.create({ user_id: "waits" });
      const reply = await caller.conversations.sendMessage({
        conversation_id,
        response_mode: "blocking",
        messages: [{ role: "user", content: "c1m1" }],
      });
      assert.match(JSON.stringify(reply), /"text":"c1m1"/);
      const operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken });
      const { list } = await operator.deliveries.list({ state: "delivered", limit: 100 });
      assert.equal(list.length, CONVERSATIONS * MESSAGES_EACH);

      const [seen] = await bed.database.query<{ pooled: number; direct: string[] }>(
        `select count(*) filter (where application_name in ('signalbox_api', 'signalbox_work', 'signalbox_search'))::int as pooled,
           array_agg(distinct application_name) filter (where application_name in ('signalbox_leader', 'signalbox_changed')) as direct
         from pg_stat_activity where usename = $1 and datname = current_database()`,
        [SERVICE],
      );
      assert.ok(seen !== undefined);
      t.diagnostic(`${seen.pooled} connections to PostgreSQL through the pooler`);
      assert.ok(seen.direct.includes("signalbox_leader"), "the leader has a connection of its own");
      if (pooler === "transaction")
        assert.ok(seen.pooled <= 5, `${seen.pooled} connections, and the pooler has 5`);
    });
  }

  for (const { pooler, ignored, sentence } of [
    {
      pooler: "refuses",
      ignored: "",
      sentence: /says "unsupported startup parameter: options"\. Set DATABASE_POOLER=true/,
    },
    {
      pooler: "drops",
      ignored: "options",
      sentence: /connected as \w+ instead of signalbox_work: .*Set DATABASE_POOLER=true/,
    },
  ]) {
    it(`a process behind a pooler that ${pooler} its startup options ends and names the setting`, async () => {
      await using bed = await openBed({ apis: 0, workers: 0 });
      await using bouncer = await startPgBouncer(bed.directory, bed.cluster, {
        pool_mode: "transaction",
        default_pool_size: 5,
        ignore_startup_parameters: ignored,
      });
      const url = new URL(bed.database.url);
      url.port = String(bouncer.port);
      const { code, output } = await runToItsEnd(url.href);
      assert.equal(code, 1, output);
      assert.match(output, sentence);
      assert.doesNotMatch(output, /database is empty/);
    });
  }
});

async function runToItsEnd(url: string): Promise<{ code: number | null; output: string }> {
  const [port, servicePort] = await freePorts(2);
  const env = {
    PATH: process.env["PATH"] ?? "",
    DATABASE_URL: url,
    OPERATOR_TOKEN: randomBytes(36).toString("base64url"),
    SEALING_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    PORT: String(port),
    ENGINE_SERVICE_PORT: String(servicePort),
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, "all"], { env, timeout: 120_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : null;
      resolve({ code, output: stdout + stderr });
    });
  });
}
