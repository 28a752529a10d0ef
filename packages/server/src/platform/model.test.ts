import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, it } from "node:test";
import OpenAI from "openai";
import { faults, serveModel } from "@signalbox/tests/support/model-server.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import { openChatModel, openEmbeddingModel } from "./model.ts";
import { unmetered } from "./model-quota.ts";
import { openOutbound } from "./outbound-http.ts";

const { server, outbound } = await serveModel(openOutbound);
beforeEach(() => server.answer(() => ({ say: "At nine." })));

const messages = [{ role: "user" as const, content: "When do you open?" }];
const schema = { type: "object", properties: {}, required: [], additionalProperties: false };

function chat(address: { key?: string | undefined; timeoutMs?: number; url?: string } = {}) {
  return openChatModel(outbound, {
    url: address.url ?? server.url,
    key: "key" in address ? address.key : "sk-test",
    model: "any",
    timeoutMs: address.timeoutMs ?? 5_000,
  });
}

async function causeOf(asking: ReturnType<ReturnType<typeof chat>["say"]>): Promise<string> {
  const result = await asking;
  return result.kind === "failed" ? result.cause : result.kind;
}

describe("model stand-in with the official SDK", () => {
  const client = () => new OpenAI({ baseURL: server.url, apiKey: "sk-test", maxRetries: 2 });

  it("the model stand-in answers whole and streamed, and the SDK retries after 429", async () => {
    server.next(faults.rateLimited(5));
    const whole = await client().chat.completions.create({ model: "any", messages });
    assert.equal(whole.choices[0]?.message.content, "At nine.");
    assert.equal(server.requests.length, 2);
    let said = "";
    for await (const chunk of await client().chat.completions.create({
      model: "any",
      messages,
      stream: true,
    }))
      said += chunk.choices[0]?.delta.content ?? "";
    assert.equal(said, "At nine.");
  });

  it("the model stand-in can break off a stream midway", async () => {
    server.next(faults.cut("one two three four five six seven"));
    const stream = await client().chat.completions.create({ model: "any", messages, stream: true });
    await assert.rejects(async () => {
      for await (const _ of stream);
    });
  });

  it("the model stand-in returns embeddings in both encodings", async () => {
    const { data } = await client().embeddings.create({
      model: "any",
      input: ["opening hours", "opening hours"],
    });
    assert.equal(data[0]?.embedding.length, 64);
    assert.deepEqual(data[0]?.embedding, data[1]?.embedding);
  });
});

describe("chat model client", () => {
  it("a chat call returns the text, the finish reason and the usage", async () => {
    server.next({
      say: "At ni",
      finish: "length",
      usage: { prompt_tokens: 7, completion_tokens: 3, completion_tokens_details: { reasoning_tokens: 2 } },
    });
    assert.deepEqual(await chat().say({ messages, maxTokens: 3 }), {
      kind: "said",
      text: "At ni",
      respondedBy: "any",
      finish: "length",
      usage: { promptTokens: 7, completionTokens: 3, reasoningTokens: 2, inputCredits: 0, outputCredits: 0 },
    });
    assert.deepEqual(
      [server.requests[0]?.body["temperature"], server.requests[0]?.body["max_tokens"]],
      [0, 3],
    );
  });

  it("a chat stream yields to other work while hundreds of chunks arrive at once", async () => {
    server.next({ say: "1234567890 ".repeat(400) });
    let pieces = 0;
    let piecesInOneTurn = 0;
    let mostInOneTurn = 0;
    const everyTurn = () => {
      piecesInOneTurn = 0;
      immediate = setImmediate(everyTurn);
    };
    let immediate = setImmediate(everyTurn);
    const onText = () => {
      pieces += 1;
      piecesInOneTurn += 1;
      mostInOneTurn = Math.max(mostInOneTurn, piecesInOneTurn);
    };
    await chat().say({ messages, onText });
    clearImmediate(immediate);
    assert.ok(pieces > 300, `void: only ${pieces} pieces`);
    assert.ok(mostInOneTurn <= 64, `${mostInOneTurn} pieces in one turn of the event loop`);
  });

  it("a chat call sends its API key, and no credentials when it has none", async () => {
    await chat().say({ messages });
    await chat({ key: undefined }).say({ messages });
    assert.equal(server.requests[0]?.headers["authorization"], "Bearer sk-test");
    assert.equal(server.requests[1]?.headers["authorization"], undefined);
  });

  it("a chat call falls back when the server does not know a JSON schema, and remembers it", async () => {
    const model = chat();
    server.next(faults.unknownParameter("response_format"), faults.unknownParameter("response_format"));
    assert.equal((await model.say({ messages, jsonSchema: schema })).kind, "said");
    await model.say({ messages, jsonSchema: schema });
    assert.deepEqual(
      server.requests.map(({ body }) => body.response_format?.type),
      ["json_schema", "json_object", undefined, undefined],
    );
  });

  it("a chat call drops a refused temperature and uses the newer name of the token limit", async () => {
    server.next(faults.unknownParameter("temperature"), faults.unknownParameter("max_tokens"));
    assert.equal((await chat().say({ messages, maxTokens: 9 })).kind, "said");
    const { body } = server.requests[2]!;
    assert.deepEqual(
      [body["temperature"], body["max_tokens"], body["max_completion_tokens"]],
      [undefined, undefined, 9],
    );
  });

  it("a parameter that a model refuses is left out of its next call, for any caller", async () => {
    const calls = unmetered();
    const ask = (name = "any") =>
      openChatModel(outbound, { url: server.url, key: "sk-test", model: name, timeoutMs: 5_000 }, calls).say({
        messages,
        maxTokens: 9,
      });
    const refused = [faults.unknownParameter("max_tokens"), faults.unknownParameter("temperature")];
    server.next(...refused);
    assert.equal((await ask()).kind, "said");
    assert.equal(server.requests.length, 3);
    assert.equal((await ask()).kind, "said");
    const { body } = server.requests[3]!;
    assert.deepEqual([body["max_completion_tokens"], body["temperature"]], [9, undefined]);
    assert.equal(server.requests.length, 4, "the second question makes one call");
    await ask("another");
    assert.equal(server.requests[4]?.body["max_tokens"], 9, "another model is asked in full");
  });

  it("what did not help a question is not remembered", async () => {
    const calls = unmetered();
    const open = () =>
      openChatModel(outbound, { url: server.url, key: "k", model: "any", timeoutMs: 5_000 }, calls);
    server.next(...Array.from({ length: 3 }, () => ({ status: 400, error: { message: "too many words" } })));
    assert.equal(await causeOf(open().say({ messages, jsonSchema: schema })), "bad_request");
    server.requests.length = 0;
    await open().say({ messages, jsonSchema: schema });
    assert.equal(server.requests[0]?.body.response_format?.type, "json_schema");
  });

  it("every chat failure is returned as a value with the requested delay", async () => {
    server.next(faults.rateLimited(1_500));
    const limited = await chat().say({ messages });
    assert.deepEqual(limited.kind === "failed" && [limited.cause, limited.retryAfterMs], [
      "rate_limited",
      1_500,
    ]);
    for (const [reply, cause] of [
      [faults.broken(), "unavailable"],
      [{ status: 401, error: { message: "no" } }, "unauthorised"],
      [{ status: 404, error: { message: "The model `some` does not exist" } }, "unknown_model"],
      [{ status: 404, error: { code: "model_not_found" } }, "unknown_model"],
      [{ status: 404, error: { message: "Not Found" } }, "no_api"],
      [{ status: 405, error: { message: "Method Not Allowed" } }, "no_api"],
      [{ status: 302, headers: { location: "http://127.0.0.1:1/" } }, "no_api"],
      [{ status: 429, error: { message: "quota", code: "insufficient_quota" } }, "no_credit"],
      [{ status: 402, error: { message: "Insufficient Balance" } }, "no_credit"],
      [{ status: 400, error: { message: "too long", code: "context_length_exceeded" } }, "bad_request"],
      [faults.cut("half a reply that breaks off"), "unreachable"],
      [{ say: "x", finish: "content_filter" }, "refused"],
      [{ raw: { choices: [] } }, "malformed_reply"],
      [{ raw: null }, "malformed_reply"],
      [{ raw: { choices: [{ message: { content: null } }] } }, "malformed_reply"],
    ] as const) {
      server.next(reply);
      assert.equal(await causeOf(chat().say({ messages })), cause, JSON.stringify(reply));
    }
  });

  it("a server that repeats the key does not bring it into the failure", async () => {
    server.next({ status: 401, error: { message: "Incorrect API key provided: sk-test" } });
    const result = await chat().say({ messages });
    assert.equal(result.kind === "failed" && result.detail, "401 Incorrect API key provided: [key]");
  });

  it("a silent chat call ends at its deadline or when it is cancelled", async () => {
    server.next(faults.silence(), faults.silence());
    assert.equal(await causeOf(chat({ timeoutMs: 200 }).say({ messages })), "timeout");
    assert.equal(await causeOf(chat().say({ messages, signal: AbortSignal.timeout(100) })), "called_off");
  });

  it("a chat call that is cancelled while its reply streams counts as called off", async () => {
    server.next({ say: "1234567890 ".repeat(400), pieceEveryMs: 20 });
    const leaving = new AbortController();
    const asking = chat().say({ messages, signal: leaving.signal, onText: () => leaving.abort() });
    assert.equal(await causeOf(asking), "called_off");
  });

  it("all tries of a chat call together take no longer than its timeout", async () => {
    server.answer(async ({ body }) => {
      await sleep(250);
      return body["temperature"] === undefined ? { say: "At nine." } : faults.unknownParameter("temperature");
    });
    assert.equal(await causeOf(chat({ timeoutMs: 400 }).say({ messages })), "timeout");
  });

  it("a chat call does not reach forbidden addresses", async () => {
    const result = await chat({ url: "http://169.254.169.254/v1" }).say({ messages });
    assert.deepEqual(result.kind === "failed" && result.cause, "forbidden_address");
  });

  it("a streamed chat call leaves its connection to the next one, also if the server ends the answer late", async () => {
    let connections = 0;
    const answers: ServerResponse[] = [];
    const late = createServer((_, response) => {
      answers.push(response);
      response.writeHead(200, { "content-type": "text/event-stream" });
      const choices = [{ index: 0, delta: { content: "At nine." }, finish_reason: "stop" }];
      response.write(`data: ${JSON.stringify({ choices })}\n\ndata: [DONE]\n\n`);
    }).on("connection", () => (connections += 1));
    await new Promise<void>((resolve) => late.listen(0, "127.0.0.1", resolve));
    const { port } = late.address() as AddressInfo;
    const model = chat({ url: `http://127.0.0.1:${port}/v1` });
    await eventually("a call comes by the connection of an earlier one", async () => {
      assert.equal(await causeOf(model.say({ messages, onText: () => undefined })), "said");
      answers.at(-1)?.end();
      return connections < answers.length || undefined;
    });
    late.closeAllConnections();
    await new Promise((resolve) => late.close(resolve));
  });

  it("a chat call does not read an endless reply", async () => {
    const endless = createServer((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const piece = Buffer.alloc(1_048_576, " ");
      const send = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on("drain", send);
      send();
    });
    await new Promise<void>((resolve) => endless.listen(0, "127.0.0.1", resolve));
    const { port } = endless.address() as AddressInfo;
    assert.equal(
      await causeOf(chat({ url: `http://127.0.0.1:${port}/v1`, timeoutMs: 20_000 }).say({ messages })),
      "malformed_reply",
    );
    endless.closeAllConnections();
    await new Promise((resolve) => endless.close(resolve));
  });
});

describe("embedding model client", () => {
  const model = () =>
    openEmbeddingModel(outbound, { url: server.url, key: "k", model: "any", timeoutMs: 5_000 });

  it("an embedding call returns one vector per text, in order, requested as floats", async () => {
    server.next({
      raw: {
        data: [
          { index: 1, embedding: [0, 1] },
          { index: 0, embedding: [1, 0] },
        ],
        usage: { prompt_tokens: 4 },
      },
    });
    assert.deepEqual(await model().embed(["a", "b"]), {
      kind: "embedded",
      vectors: [
        [1, 0],
        [0, 1],
      ],
      tokens: 4,
    });
    assert.equal(server.requests[0]?.body.encoding_format, "float");
  });

  it("an embedding call fails when vectors are missing, differ in length or are not numbers", async () => {
    for (const data of [
      [],
      [{ index: 0, embedding: [1] }],
      [
        { index: 0, embedding: [1] },
        { index: 1, embedding: [1, 2] },
      ],
      [
        { index: 0, embedding: ["x"] },
        { index: 1, embedding: [1] },
      ],
    ]) {
      server.next({ raw: { data } });
      const result = await model().embed(["a", "b"]);
      assert.deepEqual(result.kind === "failed" && result.cause, "malformed_reply", JSON.stringify(data));
    }
  });
});
