import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createServer, request as forward, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { makeAgent, operatorOf, type MadeAgent } from "../../support/agents.ts";
import { openBed, type Bed } from "../../support/bed.ts";
import { makeDesk } from "../../support/desk.ts";
import { eventually } from "../../support/processes.ts";
import { importInstalled, installed, print, without } from "../installed.ts";

type ToolResult = {
  isError?: boolean;
  content: { type: string; text: string }[];
  structuredContent?: Record<string, unknown>;
};
type ListedTool = {
  name: string;
  inputSchema: { properties?: object };
  annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean };
};
type McpClient = {
  connect(transport: object): Promise<void>;
  listTools(): Promise<{ tools: ListedTool[] }>;
  callTool(call: { name: string; arguments?: object }): Promise<ToolResult>;
  close(): Promise<void>;
};
type ClientModule = {
  Client: new (about: { name: string; version: string }, options?: object) => McpClient;
  StreamableHTTPClientTransport: new (url: URL, options: { requestInit: RequestInit }) => object;
};

const NEW_CLIENT = "@modelcontextprotocol/client";
const OLD_CLIENT = "@modelcontextprotocol/sdk";
const CONFORMANCE = "@modelcontextprotocol/conformance";

/** How each client is told the revision it speaks. */
const CLIENTS: { name: string; package: string; load: () => Promise<ClientModule>; options: object }[] = [
  {
    name: "MCP client, revision 2026-07-28",
    package: NEW_CLIENT,
    load: () => importInstalled(`${NEW_CLIENT}/dist/index.mjs`),
    options: { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  },
  {
    name: "MCP client, revision 2025-11-25",
    package: OLD_CLIENT,
    load: async () => ({
      ...(await importInstalled<ClientModule>(`${OLD_CLIENT}/dist/esm/client/index.js`)),
      ...(await importInstalled<ClientModule>(`${OLD_CLIENT}/dist/esm/client/streamableHttp.js`)),
    }),
    options: {},
  },
];

const QA = [{ question: "When do you open?", answer: "At nine." }];

let bed: Bed;
before(async () => {
  bed = await openBed({ workers: 1, environment: { RATE_LIMIT_PER_SECOND: "100" } });
});
after(() => bed?.[Symbol.asyncDispose]());

for (const { name, package: wanted, load, options } of CLIENTS)
  describe(name, { skip: without(wanted) }, () => {
    let module: ClientModule;
    let agent: MadeAgent;
    let client: McpClient;
    before(async () => {
      module = await load();
      agent = await makeAgent(bed, { qaList: QA });
      client = await connect(agent.apiKey);
    });
    after(() => client?.close());

    async function connect(apiKey: string, node = 0): Promise<McpClient> {
      const opened = new module.Client({ name: "test", version: "1.0.0" }, options);
      const headers = { authorization: `Bearer ${apiKey}` };
      await opened.connect(
        new module.StreamableHTTPClientTransport(new URL(`${bed.api(node).baseUrl}/mcp`), {
          requestInit: { headers },
        }),
      );
      return opened;
    }

    async function use(tool: string, given: object = {}, by = client): Promise<Record<string, unknown>> {
      const { isError, content, structuredContent } = await by.callTool({ name: tool, arguments: given });
      assert.notEqual(isError, true, content[0]?.text);
      assert.deepEqual(JSON.parse(content[0]?.text ?? ""), structuredContent, "text and structure agree");
      return structuredContent ?? {};
    }

    async function refused(tool: string, given: object = {}, by = client): Promise<string> {
      const { isError, content } = await by.callTool({ name: tool, arguments: given });
      assert.equal(isError, true);
      return content[0]?.text ?? "";
    }

    it("the tools are listed with their hints, and only those that the key may use", async () => {
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map((tool) => tool.name),
        [
          "search_knowledge",
          "ask",
          "list_unanswered",
          "propose_pair",
          "get_conversation",
          "request_handoff",
          "handoff_status",
          "list_deliveries",
          "replay_delivery",
        ],
      );
      const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint === true);
      assert.deepEqual(
        destructive.map((tool) => tool.name),
        ["replay_delivery"],
      );
      const key = await operatorOf(bed).keys.create({
        agent_id: agent.agentId,
        name: "knowledge alone",
        scopes: ["knowledge"],
      });
      const narrow = await connect(key.api_key);
      const few = (await narrow.listTools()).tools.map((tool) => tool.name);
      assert.deepEqual(few, ["search_knowledge", "ask", "list_unanswered", "propose_pair"]);
      const said = await refused("list_deliveries", {}, narrow);
      assert.match(said, /has the scopes knowledge, but this call needs read.*\(code 40300\)/);
      await narrow.close();
    });

    it("the knowledge is searched, and the agent's answer comes with its reasons", async () => {
      const found = await use("search_knowledge", { query: "When do you open?", limit: 1 });
      assert.partialDeepStrictEqual(found, { pairs: [{ ...QA[0], would: "direct" }] });
      const asked = await use("ask", { question: "When do you open?" });
      assert.partialDeepStrictEqual(asked, {
        decision: "direct",
        answer: "At nine.",
        reply: { outcome: "answered", text: "At nine." },
      });
      assert.ok((asked["pairs"] as unknown[]).length > 0, "the reasons name the nearest pairs");
    });

    it("a proposed answer waits for an editor, and is given to users only once it is added", async () => {
      const question = "Do you repair zippers?";
      await client.callTool({ name: "ask", arguments: { question } });
      const proposed = await use("propose_pair", { question, answer: "Yes, within a week." });
      assert.partialDeepStrictEqual(proposed, {
        question,
        asked: 0,
        proposal: { answer: "Yes, within a week.", proposed_by: "test" },
      });
      assert.partialDeepStrictEqual(await use("ask", { question }), { reply: { outcome: "unanswered" } });
      const again = await use("propose_pair", {
        question: "do you repair zippers",
        answer: "Yes, free of charge.",
      });
      assert.equal(again["question_id"], proposed["question_id"], "the later proposal replaces the earlier");
      const listed = await use("list_unanswered");
      assert.partialDeepStrictEqual(listed, {
        list: [{ question, questions: [{ proposal: { answer: "Yes, free of charge." } }] }],
      });

      const operator = operatorOf(bed);
      const { agentId: agent_id } = agent;
      const question_id = String(proposed["question_id"]);
      await operator.pairs.add({ agent_id, question, answer: "Yes, free of charge.", question_id });
      assert.partialDeepStrictEqual(await use("ask", { question }), { answer: "Yes, free of charge." });
      assert.deepEqual((await use("list_unanswered"))["list"], []);
      const [entry] = (await operator.audit.list({ agent_id })).list.filter(
        ({ action }) => action === "pair.propose",
      );
      assert.partialDeepStrictEqual(entry, {
        actor: "api_key",
        actor_id: agent.keyId,
        subject_id: question_id,
      });
    });

    it("a handoff is asked for by a handle, which tells the human's reply as it comes, on any node", async () => {
      const desk = await makeDesk(bed, { agent: { qaList: QA } });
      const caller = await connect(desk.agent.apiKey);
      const asked = await use("request_handoff", { user_id: "u1", message: "My order is late." }, caller);
      assert.equal(asked["outcome"], "requested");
      const handle = String(asked["handle"]);
      const conversationId = String(asked["conversation_id"]);
      await desk.isIn(conversationId, "connecting");
      const handoffId = handle.split("/")[1] ?? "";
      await desk.reply(handoffId, "Ada here. It left today.");

      const elsewhere = await connect(desk.agent.apiKey, 1);
      let after = asked["after"];
      const heard: string[] = [];
      const listen = async () => {
        const told = await use("handoff_status", { handle, after }, elsewhere);
        ({ after } = told);
        for (const { from, text } of told["messages"] as { from: string; text: string }[])
          heard.push(`${from}: ${text}`);
        return told;
      };
      await eventually(
        "the human's reply comes",
        async () => {
          await listen();
          return heard.includes("human: Ada here. It left today.");
        },
        { timeoutMs: 30_000 },
      );
      assert.equal(heard.filter((line) => line === "user: My order is late.").length, 1, heard.join(" / "));
      await use("request_handoff", { conversation_id: conversationId, message: "Thanks!" }, caller);
      await desk.close(handoffId);
      await eventually("the handoff is over", async () => (await listen())["is_over"] === true, {
        timeoutMs: 30_000,
      });
      assert.equal(new Set(heard).size, heard.length, `each message once: ${heard.join(" / ")}`);
      await Promise.all([caller.close(), elsewhere.close()]);
    });

    it("a conversation is read with its deliveries, and a delivery is sent again", async () => {
      const conversation_id = await agent.converse();
      await agent.ask(conversation_id, "When do you open?");
      await agent.arrivals(1);
      const read = await use("get_conversation", { conversation_id });
      const texts = (read["list"] as { text?: string }[]).map(({ text }) => text);
      assert.deepEqual(texts, ["When do you open?", "At nine."]);
      const delivered = async () => {
        const { list } = await use("list_deliveries", { conversation_id, state: "delivered" });
        return list as { delivery_id: string; replay_of: string | null }[];
      };
      await eventually("the delivery is settled", async () => (await delivered()).length === 1);
      const [first] = await delivered();
      await use("replay_delivery", { delivery_id: first?.delivery_id });
      const [one, two] = await agent.arrivals(2);
      assert.equal(two?.headers["webhook-id"], one?.headers["webhook-id"]);
      const { list } = await operatorOf(bed).audit.list({ agent_id: agent.agentId });
      const actions = list.filter(({ actor }) => actor === "api_key").map(({ action }) => action);
      assert.ok(actions.includes("delivery.replay") && actions.includes("conversation.read"), actions.join());
    });

    it("a key reaches nothing of another agent, and hears what to do instead", async () => {
      const other = await makeAgent(bed, { qaList: QA });
      const conversation_id = await other.converse();
      await other.ask(conversation_id, "When do you open?");
      await other.arrivals(1);
      const { list } = await operatorOf(bed).deliveries.list({ agent_id: other.agentId });
      const delivery_id = list[0]?.delivery_id;
      assert.match(
        await refused("replay_delivery", { delivery_id }),
        /no delivery with this delivery_id.*40401/,
      );
      assert.match(await refused("get_conversation", { conversation_id }), /\(code 404/);
      assert.match(await refused("request_handoff", { conversation_id }), /40356/);
      const handle = `${conversation_id}/${randomUUID()}`;
      assert.match(await refused("handoff_status", { handle }), /40356/);
      assert.deepEqual((await use("list_deliveries", { conversation_id }))["list"], []);
      assert.match(await refused("search_knowledge", { query: "x", agent_id: other.agentId }), /agent_id/);
    });
  });

describe("MCP endpoint", { skip: without(CONFORMANCE) }, () => {
  let agent: MadeAgent;
  before(async () => {
    agent = await makeAgent(bed);
  });

  const send = (body: string, headers: Record<string, string> = {}, method = "POST") =>
    fetch(`${bed.baseUrl}/mcp`, {
      method,
      headers: {
        authorization: `Bearer ${agent.apiKey}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      ...(method === "POST" && { body }),
    });
  const PING = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

  for (const scenario of ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"])
    it(`the conformance scenario ${scenario} passes`, async () => {
      await using proxy = await openKeyProxy(bed.baseUrl, agent.apiKey);
      const argv = ["server", "--url", `${proxy.url}/mcp`, "--scenario", scenario];
      await print(process.execPath, [installed(`${CONFORMANCE}/dist/index.js`), ...argv]);
    });

  it("a call without a key, with a wrong one or from a page elsewhere is refused before it is read", async () => {
    const wrong = await send(PING, { authorization: `Bearer sbx_${"0".repeat(40)}` });
    assert.equal(wrong.status, 401);
    assert.match(await wrong.text(), /"code":40127/);
    assert.equal((await send(PING, { origin: "https://evil.example" })).status, 403);
    assert.equal((await send(PING, { origin: "vscode-file://vscode-app" })).status, 200);
    for (const method of ["GET", "DELETE"]) assert.equal((await send("", {}, method)).status, 405, method);
  });

  it("a body that is no JSON-RPC message is refused with a 4xx, whatever it is", async () => {
    const bodies = ["", "{", "[]", "5", "null", "{}", `[${PING},${PING}]`, '{"jsonrpc":"2.0","method":5}'];
    const call = (params: unknown) => JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    for (const body of bodies) {
      const { status } = await send(body);
      assert.ok(status >= 400 && status < 500, `${body}: ${status}`);
    }
    for (const params of [
      {},
      { name: "nobody" },
      { name: "ask", arguments: 5 },
      { name: "ask" },
      { name: 5 },
    ]) {
      const answered = await send(call(params));
      assert.match(await answered.text(), /"error"|"isError":true/, JSON.stringify(params));
    }
  });

  it("calls beyond the limit of the key are refused with Retry-After", async () => {
    const answers = await Promise.all(Array.from({ length: 300 }, () => send(PING)));
    const refused = answers.filter(({ status }) => status === 429);
    assert.ok(refused.length > 0, "300 at once are beyond 100 a second");
    assert.ok(refused.every(({ headers }) => headers.has("retry-after")));
    assert.equal(answers.filter(({ status }) => status >= 500).length, 0);
  });
});

/** The conformance runner sends no key: this adds one. */
async function openKeyProxy(baseUrl: string, apiKey: string): Promise<AsyncDisposable & { url: string }> {
  const target = new URL(baseUrl);
  const server: Server = createServer((incoming: IncomingMessage, outgoing) => {
    const { url: path, method, headers } = incoming;
    const passed = forward(
      {
        host: target.hostname,
        port: target.port,
        path,
        method,
        headers: { ...headers, authorization: `Bearer ${apiKey}` },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
