import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { Webhook } from "standardwebhooks";
import { makeAgent, type MadeAgent } from "../../support/agents.ts";
import { ALWAYS, CLEAN, judge, type Accepted, type Received } from "../../support/ledger.ts";
import { withClient } from "../../support/postgres.ts";
import { freePorts } from "../../support/processes.ts";
import type { Receiver } from "../../support/receiver.ts";
import { PROGRAM } from "../../support/service.ts";
import type { Installation, Served, Server } from "./installation.ts";

const AGENTS = 2;
const CONVERSATIONS_EACH = 3;
const MESSAGES_MAX = 12;
const USERNAME = "developer";

type Talk = { agent: MadeAgent; conversationId: string; name: string; sent: number };

/** Agents, keys, sealed secrets and conversations, whose messages are numbered so that each answer names its own. */
export type Furnished = {
  agents: MadeAgent[];
  accepted: Accepted[];
  /** The next message of every conversation. */
  sendNext(): Promise<void>;
};

const keyOf = (name: string, message: number) => `${name}m${message}`;

export async function furnish(
  { api }: Served,
  receiver: Receiver,
  { secrets }: Installation,
): Promise<Furnished> {
  const talks: Talk[] = [];
  const agents: MadeAgent[] = [];
  const accepted: Accepted[] = [];
  for (let a = 0; a < AGENTS; a += 1) {
    const names = Array.from({ length: CONVERSATIONS_EACH }, (_, c) => `a${a}c${c}`);
    const keys = names.flatMap((name) => Array.from({ length: MESSAGES_MAX }, (_, m) => keyOf(name, m)));
    const agent = await makeAgent(
      { baseUrl: api.baseUrl, operatorToken: secrets["OPERATOR_TOKEN"] ?? "", receiver },
      {
        webhook: { username: USERNAME, secret: `word of agent ${a}` },
        qaList: keys.map((key) => ({ question: key, answer: key })),
      },
    );
    agents.push(agent);
    for (const name of names)
      talks.push({ agent, name, conversationId: await agent.converse({ user_id: name }), sent: 0 });
  }
  return {
    agents,
    accepted,
    async sendNext() {
      for (const talk of talks) {
        const key = keyOf(talk.name, talk.sent);
        await talk.agent.ask(talk.conversationId, key);
        talk.sent += 1;
        accepted.push({ conversationId: talk.conversationId, key });
      }
    },
  };
}

export function isEverythingThere(accepted: readonly Accepted[], received: readonly Received[]): boolean {
  const taken = new Set(
    received
      .filter(({ answer }) => answer?.acknowledged)
      .map(({ conversationId, key }) => `${conversationId} ${key}`),
  );
  return accepted.every(({ conversationId, key }) => taken.has(`${conversationId} ${key}`));
}

/** Nothing lost, nothing out of order, nothing with another body or id; what was delivered since the backup may come again. */
export function assertComplete(accepted: Accepted[], received: Received[]): void {
  const { duplicates: _, ...verdict } = judge({ accepted, received, faults: [ALWAYS] });
  const { duplicates: __, ...clean } = CLEAN;
  assert.deepEqual(verdict, clean);
}

/** Basic authentication and signature, made with what SEALING_KEYS opens. */
export function assertSealedSecrets(agents: readonly MadeAgent[], firstRequest: number): void {
  for (const [index, agent] of agents.entries()) {
    const request = agent.arrived().findLast((one) => one.index >= firstRequest);
    const basic = Buffer.from(`${USERNAME}:word of agent ${index}`).toString("base64");
    assert.equal(request?.headers["authorization"], `Basic ${basic}`);
    new Webhook(agent.signingSecret).verify(
      String(request.bodyBytes),
      request.headers as Record<string, string>,
    );
  }
}

export async function assertWrongKeysRefused(installation: Installation, server: Server): Promise<void> {
  const { MIGRATION_DATABASE_URL: _, ...environment } = installation.environmentOf(server);
  const [port = 0] = await freePorts(1);
  const other = `k1:${Buffer.alloc(32, 7).toString("base64")}`;
  const env = { ...environment, PORT: String(port), SEALING_KEYS: other };
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, [PROGRAM, "api"], { env, timeout: 60_000 }, (_error, _out, err) =>
      resolve(err),
    );
  });
  assert.match(said, /^Signalbox cannot start: the key "k1" in SEALING_KEYS is not the one /);
}

/** As the service's login: nothing without a role, one agent's rows as the api role, no change of the audit. */
export async function assertRightsRestored(
  installation: Installation,
  server: Server,
  agents: readonly MadeAgent[],
): Promise<void> {
  const url = installation.environmentOf(server)["DATABASE_URL"] ?? "";
  await withClient(url, async (client) => {
    await assert.rejects(client.query("select from message"), /permission denied/);
    await assert.rejects(
      client.query("begin; set local role signalbox_work; update audit set action = 'x'"),
      /permission denied for table audit/,
    );
    await client.query("rollback");
    for (const { agentId } of agents) {
      await client.query("begin; set local role signalbox_api");
      await client.query("select set_config('signalbox.agent_id', $1, true)", [agentId]);
      const { rows } = await client.query<{ agent_id: string }>("select distinct agent_id from message");
      assert.deepEqual(rows, [{ agent_id: agentId }]);
      await client.query("rollback");
    }
  });
}
