import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type MadeAgent, makeAgent } from "@signalbox/tests/support/agents.ts";
import { type Bed, openBed } from "@signalbox/tests/support/bed.ts";
import { bundleProgram, type BundledProgram } from "@signalbox/tests/support/bundled-program.ts";
import { emptyDatabase } from "@signalbox/tests/support/databases.ts";
import { withClient } from "@signalbox/tests/support/postgres.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import { startReceiver } from "@signalbox/tests/support/receiver.ts";
import { startServe } from "@signalbox/tests/support/serve-command.ts";
import { Webhook } from "standardwebhooks";

const SOURCE = join(import.meta.dirname, "../../packages/cli/src/main.ts");

const SECRET = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;

type Ran = { code: number; out: string; error: string; json: <Shape>() => Shape };

describe("CLI against a running service", () => {
  const open = new AsyncDisposableStack();
  let program: BundledProgram;
  let bed: Bed;
  let agent: MadeAgent;
  before(async () => {
    program = open.use(await bundleProgram(SOURCE));
    bed = open.use(
      await openBed({
        apis: 1,
        workers: 1,
        environment: { DELIVERY_RETRY_SECONDS: "0.2", DELIVERY_BLOCKED_SECONDS: "1" },
      }),
    );
    agent = await makeAgent(bed, { qaList: [{ question: "When do you open?", answer: "At nine." }] });
  });
  after(() => open.disposeAsync());

  function run(...words: string[]): Promise<Ran> {
    const env = {
      PATH: process.env["PATH"],
      SIGNALBOX_URL: bed.baseUrl,
      SIGNALBOX_API_KEY: agent.apiKey,
      SIGNALBOX_OPERATOR_TOKEN: bed.operatorToken,
    };
    return new Promise((resolve) => {
      execFile(process.execPath, [program.path, ...words], { env }, (failure, out, error) => {
        const code = failure === null ? 0 : Number(failure.code);
        resolve({ code, out, error, json: <Shape>() => JSON.parse(out) as Shape });
      });
    });
  }

  it("ask works in blocking mode with the API key alone and explains the answer", async () => {
    const asked = await run("ask", "When do you open?", "--operator-token", "");
    assert.deepEqual([asked.code, asked.out], [0, "At nine.\n"]);
    assert.deepEqual(agent.arrived(), []);
    const explained = await run("ask", "When do you open?", "--why");
    assert.match(explained.out, /1\.00 +direct +question \d.* When do you open\?/);
  });

  it("pairs edits one pair, shows its history and restores it", async () => {
    const list = async (...words: string[]) =>
      (await run("pairs", "list", "--json", ...words)).json<{ list: { pair_id: string; answer: string }[] }>()
        .list;
    const added = await run("pairs", "add", "--question", "Is there a lift?", "--answer", "Yes.", "--json");
    const { pair_id } = added.json<{ pair_id: string }>();
    const edited = await run("pairs", "edit", pair_id, "--answer", "No.", "--alternate", "Elevator?");
    assert.deepEqual([edited.code, edited.out], [0, "Saved as version 2.\n"]);
    assert.deepEqual(
      (await list("--text", "elevat")).map(({ answer }) => answer),
      ["No."],
    );
    assert.match((await run("pairs", "history", pair_id)).out, /2 .+changed.+No\.\n1 .+added.+Yes\./);
    assert.equal((await run("pairs", "delete", pair_id)).code, 0);
    assert.deepEqual(await list("--text", "lift"), []);
    const restored = await run("pairs", "restore", pair_id, "--version", "1");
    assert.equal(restored.out, "Restored version 1 as version 4.\n");
    assert.deepEqual(
      (await list("--text", "lift")).map(({ answer }) => answer),
      ["Yes."],
    );
    assert.equal((await run("pairs", "edit", pair_id)).code, 2);
  });

  it("pairs export writes a workbook to a file and CSV to standard output", async () => {
    const directory = await mkdtemp(join(tmpdir(), "export-"));
    const out = join(directory, "pairs.xlsx");
    const written = await run("pairs", "export", "--format", "xlsx", "--out", out);
    assert.deepEqual([written.code, written.out], [0, `Exported to ${out}.\n`]);
    assert.equal((await readFile(out)).subarray(0, 2).toString(), "PK");
    const csv = await run("pairs", "export");
    assert.match(csv.out, /^\uFEFFquestion,answer,similar questions,tags\r\n/);
    assert.equal((await run("pairs", "export", "--format", "xlsx")).code, 2);
  });

  it("saved-questions saves a question, asks it and lists the result", async () => {
    const added = await run("pairs", "add", "--question", "Is there a sauna?", "--answer", "No.", "--json");
    const { pair_id } = added.json<{ pair_id: string }>();
    const question = "Is there a sauna?";
    assert.equal((await run("saved-questions", "save", "--question", question, "--pair", pair_id)).code, 0);
    const asked = await run("saved-questions", "run");
    assert.deepEqual([asked.code, asked.out], [0, "1 of 1 passed, 0 better and 0 worse than before\n"]);
    assert.match((await run("saved-questions")).out, /Is there a sauna\?  Is there a sauna\?  passed/);
    assert.match((await run("saved-questions", "runs")).out, /manual {2}1 of 1/);
    const [{ saved_question_id } = { saved_question_id: "" }] = (
      await run("saved-questions", "--json")
    ).json<{ list: { saved_question_id: string }[] }>().list;
    assert.equal((await run("saved-questions", "delete", saved_question_id)).code, 0);
  });

  it("previews and imports a file, writes its refused rows as CSV and rolls the document back", async () => {
    const directory = await mkdtemp(join(tmpdir(), "documents-"));
    const path = join(directory, "faq.csv");
    await writeFile(path, "FAQ\nquestion,answer\nIs there a garden?,TODO\nIs there a pool?,\n");
    const previewed = await run("documents", "preview", path);
    assert.equal(previewed.code, 1);
    assert.match(previewed.out, /faq\.csv: 1 of 2 rows are valid pairs, 1 refused\nHeader rows: 2\n/);
    assert.match(previewed.out, /^First pairs.*\n {2}Is there a garden\?\n {6}TODO$/m);
    assert.match(previewed.out, /row 3, column 2: the cell looks like a placeholder: TODO \(placeholder\)/);
    const done = await run("documents", "import", path, "--json");
    const [made] = done.json<{ documents: { doc_id: string; pairs: number }[] }>().documents;
    const { doc_id, pairs } = made ?? { doc_id: "", pairs: 0 };
    assert.deepEqual([done.code, pairs], [1, 1]);
    const refused = await run("documents", "refused", doc_id);
    assert.equal(refused.out, "row,column,problem\n4,2,the answer is missing,Is there a pool?,\n");
    await writeFile(path, "question,answer\nIs there a garden?,Yes.\nIs there a pool?,No.\n");
    assert.equal((await run("documents", "import", path, "--replace", doc_id)).code, 0);
    const restored = await run("documents", "restore", doc_id, "--revision", "1");
    assert.equal(restored.out, "Restored 1 pairs of revision 1 as revision 3.\n");
    assert.match((await run("documents", "history", doc_id)).out, /3 .+restore +current/);
    assert.match((await run("documents")).out, new RegExp(`faq\\.csv +1 +AVAILABLE .+${doc_id}`));
    await rm(directory, { recursive: true });
  });

  it("ask --webhook creates a delivery that deliveries lists and replay sends again", async () => {
    assert.equal((await run("ask", "When do you open?", "--webhook")).code, 0);
    const [first] = await agent.arrivals(1);
    const listed = await run(
      "deliveries",
      "--agent",
      agent.agentId,
      "--state",
      "delivered",
      "--since",
      "1h",
      "--json",
    );
    const [delivery] = listed.json<{ list: { delivery_id: string }[] }>().list;
    assert.equal(delivery?.delivery_id, first?.headers["webhook-id"]);
    const ofAgent = ["deliveries", "--agent", agent.agentId];
    assert.doesNotMatch((await run(...ofAgent)).out, /At nine\./);
    assert.match((await run(...ofAgent, "--preview")).out, /At nine\.\n$/);
    const shown = await run("deliveries", delivery?.delivery_id ?? "");
    assert.match(shown.out, /HTTP 200/);
    assert.match(shown.out, /dns\/connect\/tls\/first byte[^]* -\/(-|\d+)\/-\/\d+ ms/);
    assert.match(shown.out, /At nine\./);
    assert.equal((await run("replay", delivery?.delivery_id ?? "")).code, 0);
    const [, again] = await agent.arrivals(2);
    assert.equal(again?.headers["webhook-id"], first?.headers["webhook-id"]);

    const counted = await run("replay", "--agent", agent.agentId, "--state", "delivered", "--json");
    assert.deepEqual(counted.json(), { replay_id: null, matched: 1 });
    const replayed = await run("replay", "--agent", agent.agentId, "--state", "delivered", "--yes", "--wait");
    assert.deepEqual([replayed.code, replayed.out], [0, "1 delivered, 0 dead-lettered\n"]);
    await agent.arrivals(3);
  });

  it("check and doctor pass on a healthy service and exit with a reliable code", async () => {
    assert.equal((await run("check")).code, 0);
    const well = await run("doctor", "--json");
    const states = well.json<{ results: { state: string }[] }>().results.map(({ state }) => state);
    assert.deepEqual([well.code, new Set(states)], [0, new Set(["ok"])]);
    agent.respond(() => ({ status: 500 }));
    const away = await run("check");
    assert.equal(away.code, 1);
    assert.match(away.out, /✖ +message +HTTP 500/);
    agent.respond(() => undefined);
  });

  it("doctor names the part of the service that failed and what to do, and exits with 1", async () => {
    assert.equal(await bed.worker().stop(), 0);
    await bed.database.query("update worker set beat_at = now() - interval '70 seconds'");
    const told = await eventually("the service is not normal", async () => {
      const { code, out } = await run("doctor");
      return code === 1 ? out : undefined;
    });
    assert.match(told, /✖ the service at [^]*✔ PostgreSQL: PostgreSQL takes work\./);
    assert.match(
      told,
      /✖ workers: No worker has sent a heartbeat for 7\d s\.\n +Start a worker: signalbox serve worker\./,
    );
    await bed.worker().start();
    await eventually("all is well again", async () => (await run("doctor")).code === 0);
  });

  it("check and deliveries tell the cause of a failure, what the receiver answered, and where the fix is", async () => {
    const failing = await makeAgent(bed, { qaList: [{ question: "When do you open?", answer: "At nine." }] });
    failing.respond(() => ({ status: 422, body: "unknown user" }));
    const checked = await run("check", "--agent", failing.agentId, "--api-key", failing.apiKey);
    assert.equal(checked.code, 1);
    for (const told of [
      /responded with HTTP 422 instead of 200 \(http_status\)/,
      /Response: unknown user/,
      /causes\/http_status\.md/,
    ])
      assert.match(checked.out, told);
    const history = await run("check", "--agent", failing.agentId, "--api-key", failing.apiKey, "--history");
    assert.equal(history.code, 0);
    assert.match(history.out, /✖ .* HTTP 422 +\d+ ms +http_status +http/);
    await failing.ask(await failing.converse(), "When do you open?");
    await failing.arrivals(2);
    const listed = await run("deliveries", "--agent", failing.agentId, "--json");
    const [delivery] = listed.json<{ list: { delivery_id: string }[] }>().list;
    const shown = await run("deliveries", delivery?.delivery_id ?? "");
    for (const told of [
      /HTTP 422 instead of 200 \(http_status\)/,
      /Response: unknown user/,
      /causes\/http_status\.md/,
    ])
      assert.match(shown.out, told);
  });

  it("agents, keys, webhook and desk commands create and remove an agent's settings", async () => {
    const created = await run("agents", "create", "--name", "Help center", "--json");
    const { agent_id } = created.json<{ agent_id: string }>();
    const ofAgent = ["--agent", agent_id];
    assert.match((await run("agents")).out, new RegExp(`Help center .*${agent_id}`));
    assert.match((await run("agents", "show", agent_id)).out, /^name +Help center$/m);

    assert.equal((await run("webhook", ...ofAgent)).code, 1);
    const set = await run("webhook", "set", `${bed.receiver.url}/mine`, "--username", "u", ...ofAgent);
    assert.match(set.out, /^whsec_\S+\n$/);
    assert.equal((await run("webhook", ...ofAgent)).out, `${bed.receiver.url}/mine\n`);
    const rotated = await run("webhook", "rotate", "--overlap", "2h", ...ofAgent);
    assert.match(rotated.out, /^whsec_\S+\n$/);
    assert.notEqual(rotated.out, set.out);

    const desk = await run(
      "desk",
      "add",
      `${bed.receiver.url}/desk`,
      "--name",
      "Night shift",
      ...ofAgent,
      "--json",
    );
    const { component_id } = desk.json<{ component_id: string }>();
    assert.match((await run("desk", ...ofAgent)).out, new RegExp(`Night shift .*${component_id}`));
    assert.equal((await run("desk", "remove", component_id, ...ofAgent)).code, 0);
    assert.match((await run("desk", ...ofAgent)).out, /No desks yet/);
    assert.equal((await run("webhook", "remove", ...ofAgent)).code, 0);

    assert.equal((await run("agents", "delete", agent_id)).code, 2);
    assert.equal((await run("agents", "delete", agent_id, "--yes")).code, 0);
    assert.match((await run("agents")).out, /Help center .*deleted/);
    assert.match((await run("keys")).out, new RegExp(agent.keyId));
  });

  it("webhook test sends the body of a delivery, edited in a file, and tells the response", async () => {
    const tested = await makeAgent(bed, { qaList: [{ question: "When do you open?", answer: "At nine." }] });
    await tested.ask(await tested.converse(), "When do you open?");
    const [arrived] = await tested.arrivals(1);
    const deliveryId = arrived?.headers["webhook-id"] ?? "";
    const same = await run("webhook", "test", "--delivery", deliveryId);
    assert.deepEqual([same.code, same.error], [0, ""]);
    assert.match(same.out, /^✔ HTTP 200 after \d+ ms from http/);
    assert.deepEqual(tested.arrived().at(-1)?.body, { ...(arrived?.body as object), istest: true });

    const folder = await mkdtemp(join(tmpdir(), "signalbox-cli-"));
    open.defer(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, "edited.json");
    await writeFile(file, '{"edited": true}');
    tested.respond(() => ({ status: 422, body: "unknown field" }));
    const edited = await run("webhook", "test", "--delivery", deliveryId, "--data", file);
    assert.equal(edited.code, 1);
    assert.match(edited.out, /^✖ HTTP 422[^]*\(http_status\)[^]*Response: unknown field[^]*http_status\.md/);
    assert.deepEqual(tested.arrived().at(-1)?.body, { edited: true, istest: true });
    const alone = await run("webhook", "test", "--agent", tested.agentId, "--data", file, "--json");
    assert.equal(alone.json<{ http_status: number }>().http_status, 422);
    await writeFile(file, "[]");
    const refused = await run("webhook", "test", "--delivery", deliveryId, "--data", file);
    assert.match(refused.error, /is not a JSON object/);
  });

  it("listen forwards deliveries and replays to a local receiver, retrying until they are accepted", async () => {
    const another = await makeAgent(bed);
    const local = await startReceiver();
    try {
      local.respond(() => (local.requests.length === 1 ? { status: 503 } : undefined));
      const words = ["--agent", another.agentId, "--since", "1h", "--count", "2", "--signing-secret", SECRET];
      const listening = run("listen", "--forward-to", local.url, ...words, "--json");
      await another.ask(await another.converse(), "Hello?");
      const [original] = await another.arrivals(1);
      await eventually("it is taken at the second attempt", () => local.requests.length >= 2);
      await run("replay", String(original?.headers["webhook-id"]));
      const { code, out } = await listening;
      const answers = out
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as { answer: string }).answer);
      assert.deepEqual([code, ...answers], [0, "HTTP 503", "HTTP 200", "HTTP 200"]);
      for (const { bodyBytes, headers } of local.requests) {
        assert.deepEqual(bodyBytes, original?.bodyBytes);
        assert.equal(headers["webhook-id"], original?.headers["webhook-id"]);
        new Webhook(SECRET).verify(String(bodyBytes), headers as Record<string, string>);
      }
    } finally {
      await local.close();
    }
  });

  it("keys creates a working key and revokes it", async () => {
    const created = await run(
      "keys",
      "create",
      "--agent",
      agent.agentId,
      "--name",
      "ci",
      "--expires",
      "1d",
      "--json",
    );
    const { api_key, key_id } = created.json<{ api_key: string; key_id: string }>();
    assert.match((await run("keys", "--agent", agent.agentId)).out, new RegExp(`ci .*${key_id}`));
    assert.equal((await run("keys", "revoke", key_id, "--agent", agent.agentId)).code, 0);
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    assert.equal((await run("check", "--api-key", api_key)).code, 4);
  });

  it("migrate plans, applies and verifies migrations, and only apply changes the database", async () => {
    const database = await emptyDatabase(bed.cluster);
    const { ownerUrl: url } = database;
    const migrate = (
      words: string[],
      environment: Record<string, string> = { MIGRATION_DATABASE_URL: url },
    ) =>
      new Promise<[number, string]>((resolve) => {
        const env = { PATH: process.env["PATH"], ...environment };
        execFile(process.execPath, [program.path, "migrate", ...words], { env }, (failure, out, error) =>
          resolve([failure === null ? 0 : Number(failure.code), out + error]),
        );
      });
    const tables = () =>
      withClient(url, async (client) => {
        const { rowCount } = await client.query("select from pg_tables where schemaname = 'public'");
        return rowCount;
      });
    try {
      const [planned, plan] = await migrate(["plan"]);
      assert.deepEqual([planned, await tables()], [0, 0]);
      assert.match(plan, /^pending 0001_agents\.sql\n[^]*\n\d+ migrations to apply\.\n$/);
      const [far, lacking] = await migrate(["verify"]);
      assert.deepEqual([far, await tables()], [1, 0]);
      assert.match(lacking, /the database lacks 0001_agents\.sql, /);

      assert.equal((await migrate(["apply"]))[0], 0);
      assert.match((await migrate(["verify"])).join(" "), /^0 The schema matches this version/);
      assert.deepEqual(await migrate(["plan"]), [0, "Nothing to do: the schema is up to date.\n"]);
      assert.deepEqual(await migrate([]), [0, "Nothing to do: the schema is up to date.\n"]);

      await withClient(url, (client) =>
        client.query("insert into schema_migration (name, checksum) values ('9000_newer.sql', 'x')"),
      );
      for (const action of ["plan", "verify", "apply"]) {
        const [ahead, said] = await migrate([action, "--json"]);
        assert.equal(ahead, 1, action);
        assert.match(
          (JSON.parse(said) as { error: { message: string } }).error.message,
          /9000_newer\.sql, which this version does not know/,
        );
      }
    } finally {
      await database.drop();
    }
    assert.deepEqual(await migrate([], {}), [1, "Set DATABASE_URL or MIGRATION_DATABASE_URL.\n"]);
    const nobody = await migrate(["verify"], { DATABASE_URL: "postgres://owner@127.0.0.1:1/none" });
    assert.deepEqual(nobody, [1, "migrate verify: connect ECONNREFUSED 127.0.0.1:1\n"]);
    assert.equal((await migrate(["undo"]))[0], 2);
  });

  it("serve runs the service and stops it gracefully on SIGTERM", async () => {
    const { serve, ended, port } = await startServe(bed, program.path);
    serve.kill("SIGTERM");
    assert.deepEqual(await ended, [0, null]);
    await assert.rejects(fetch(`http://127.0.0.1:${port}/livez`), "it still runs");
  });

  it("serve leaves no server behind on its port when it is killed with SIGKILL", async () => {
    const { serve, ended, port } = await startServe(bed, program.path);
    serve.kill("SIGKILL");
    assert.deepEqual(await ended, [null, "SIGKILL"]);
    await assert.rejects(fetch(`http://127.0.0.1:${port}/livez`), "a server still listens on the port");
  });
});
