import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { FAILURE_NAMES, FAILURES } from "@signalbox/contract";
import { makeAgent, operatorOf } from "../support/agents.ts";
import type { MadeAgent } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { asOperator, bearer, JSON_TYPE, sendBytes, sendRequest } from "../support/wire.ts";
import type { WireAnswer, WireRequest } from "../support/wire.ts";

const MEGABYTE = 1024 * 1024;

/** Every failure, whatever its cause: two fields, the status of the code, JSON. */
function isFailure(answer: WireAnswer, code: number, message: RegExp = /./): void {
  const failure = answer.body as { code: number; message: string } | undefined;
  assert.deepEqual([answer.status, failure?.code], [Math.floor(code / 100), code], answer.text);
  assert.deepEqual(Object.keys(failure ?? {}), ["code", "message"]);
  assert.match(failure?.message ?? "", message);
  assert.match(answer.headers["content-type"] ?? "", /^application\/json\b/);
  const words = FAILURE_NAMES.map((name) => FAILURES[name]).find((known) => known.code === code)?.message;
  assert.ok(failure?.message.startsWith(words ?? "no such code"), failure?.message);
}

describe("7 failures at the edge", () => {
  let bed: Bed;
  let agent: MadeAgent;
  before(async () => {
    // Large bodies count as several requests, and these come one after another.
    bed = await openBed({ apis: 1, workers: 0, environment: { RATE_LIMIT_PER_SECOND: "100000" } });
    agent = await makeAgent(bed);
  });
  after(() => bed[Symbol.asyncDispose]());

  const send = (request: WireRequest) => sendRequest(bed.baseUrl, request);
  const converse = (body: string | Buffer, headers: Record<string, string> = JSON_TYPE) =>
    send({
      method: "POST",
      path: "/v1/conversation",
      headers: { ...bearer(agent.apiKey), ...headers },
      body,
    });
  const administer = (path: string, method = "GET") =>
    send({ method, path: `/admin/v1${path}`, headers: asOperator(bed) });

  it("a body that is not valid JSON or not an object is refused with 40000", async () => {
    for (const body of ["{", '{"user_id": }', "user_id=1", '{"user_id":"a"} x', "{'user_id':'a'}", "\0"])
      isFailure(await converse(body), 40000, /not valid UTF-8 JSON/);
    for (const body of ["[]", '"text"', "1", "true"])
      isFailure(await converse(body), 40000, /the request body must be an object/);
    isFailure(await converse("null"), 40000, /user_id is required/);
  });

  it("an empty body is refused for its missing fields", async () => {
    isFailure(await converse(""), 40000, /user_id is required/);
  });

  it("a body of another content type, or of none, is refused", async () => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/jsonp",
      ";;",
      "a/b/c",
    ])
      isFailure(await converse('{"user_id":"a"}', { "content-type": type }), 40000, /application\/json/);
    isFailure(await converse('{"user_id":"a"}', {}), 40000, /application\/json/);
    const answer = await converse('{"user_id":"a"}', { "content-type": "Application/JSON; charset=UTF-8" });
    assert.equal(answer.status, 200);
  });

  it("an unknown path is refused before the rest of the request is read", async () => {
    const paths = [
      "/",
      "/v1",
      "/v1/nothing",
      "/v1/conversation/",
      "/V1/conversation",
      "/admin/v1/nothing",
      "*",
    ];
    for (const path of paths) isFailure(await send({ path }), 40401, /no endpoint has this path/);
    for (const headers of [JSON_TYPE, { "content-type": "text/plain" }])
      isFailure(await send({ method: "POST", path: "/v1/nothing", headers, body: "{" }), 40401);
    isFailure(await send({ method: "POST", path: "/v1/nothing", body: "x".repeat(2 * MEGABYTE) }), 40401);
  });

  it("a wrong method is refused with the one the path accepts", async () => {
    isFailure(await send({ path: "/v1/bot/doc/qa/add" }), 40401, /this path accepts POST/);
    isFailure(await send({ method: "POST", path: "/v1/webhook/service/health" }), 40401, /accepts GET/);
    isFailure(await send({ method: "PATCH", path: "/admin/v1/agents", body: "{" }), 40401, /POST or GET/);
    isFailure(await send({ method: "PROPFIND", path: "/v1/conversation" }), 40401, /accepts POST/);
    isFailure(await send({ method: "OPTIONS", path: "/v1/conversation" }), 40401, /accepts POST/);
  });

  it("a body above 1 MB, or above 10 MB for 4.1, is refused, announced or not", async () => {
    const filled = (bytes: number) => `{"user_id":"a","x":"${"y".repeat(bytes - 22)}"}`;
    assert.equal(Buffer.byteLength(filled(100)), 100);
    assert.equal((await converse(filled(MEGABYTE))).status, 200, "exactly 1 MB is taken");
    isFailure(await converse(filled(MEGABYTE + 1)), 41300);
    isFailure(await converse(filled(5 * MEGABYTE)), 41300);

    const chunked = { ...JSON_TYPE, "transfer-encoding": "chunked" };
    const body = filled(MEGABYTE + 1);
    isFailure(await converse(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`, chunked), 41300);

    const headers = { ...bearer(agent.apiKey), ...JSON_TYPE };
    const addQa = (bytes: number) =>
      send({ method: "POST", path: "/v1/bot/doc/qa/add", headers, body: filled(bytes) });
    isFailure(await addQa(10 * MEGABYTE), 40000, /purpose is required/);
    isFailure(await addQa(10 * MEGABYTE + 1), 41300);
  });

  it("the refusal of an oversized body reaches a caller on a kept-alive connection", async () => {
    for (let time = 0; time < 10; time += 1) {
      const response = await fetch(`${bed.baseUrl}/v1/conversation`, {
        method: "POST",
        headers: { ...bearer(agent.apiKey), ...JSON_TYPE },
        body: "y".repeat(8 * MEGABYTE),
      });
      assert.deepEqual([response.status, ((await response.json()) as { code: number }).code], [413, 41300]);
    }
  });

  it("a refusal reaches a caller who is still sending, and leaves the connection open", async () => {
    const form = "multipart/form-data; boundary=x";
    const refused: [type: string, firstPiece: string, length: number, message: RegExp][] = [
      [form, "--x\r\n", 900_000, /application\/json/],
      ["text/plain", "words", 900_000, /application\/json/],
      ["application/json", "[".repeat(40), 900_000, /32 levels/],
      ["application/json", "{", 3 * MEGABYTE, /send a smaller body/],
    ];
    for (const [type, firstPiece, length, message] of refused) {
      const connection = connect(Number(new URL(bed.baseUrl).port), "127.0.0.1");
      const head = `POST /v1/conversation HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${agent.apiKey}\r\n`;
      connection.write(`${head}content-type: ${type}\r\ncontent-length: ${length}\r\n\r\n${firstPiece}`);
      const [answer] = (await once(connection, "data")) as [Buffer];
      assert.match(answer.toString(), message);
      connection.write("x".repeat(length - firstPiece.length));
      connection.write("GET /livez HTTP/1.1\r\nhost: x\r\n\r\n");
      const [next] = (await once(connection, "data")) as [Buffer];
      assert.match(next.toString(), /^HTTP\/1.1 200/, type);
      connection.destroy();
    }
  });

  it("a body nested beyond 32 levels is refused, not counting brackets in strings", async () => {
    const nested = (levels: number) =>
      `{"user_id":"a","x":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    assert.equal((await converse(nested(32))).status, 200);
    isFailure(await converse(nested(33)), 40000, /nested more than 32 levels deep/);
    isFailure(await converse("[".repeat(500_000)), 40000, /nested more than 32 levels deep/);
    isFailure(await converse('{"a":'.repeat(100_000)), 40000, /nested more than 32 levels deep/);
    assert.equal((await converse(`{"user_id":"a","x":"\\"${"[{".repeat(100)}\\\\"}`)).status, 200);
  });

  it("U+0000 and unpaired surrogates are refused in values and names anywhere", async () => {
    const bodies = [
      String.raw`{"user_id":"a\u0000"}`,
      String.raw`{"user_id":"a","x\u0000":1}`,
      String.raw`{"user_id":"a","x":[{"y":"\u0000"}]}`,
      String.raw`{"user_id":"\ud83d"}`,
      String.raw`{"user_id":"a","x":"\ude00\ud83d"}`,
      String.raw`{"user_id":"a","\udc00":1}`,
    ];
    for (const body of bodies) isFailure(await converse(body), 40000, /U\+0000 or half of a surrogate pair/);
    assert.equal((await converse(String.raw`{"user_id":"\ud83d\ude00 \\u0000"}`)).status, 200);
  });

  it("bytes that are not UTF-8 are refused", async () => {
    for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe4, 0xb8]]) {
      const body = Buffer.concat([Buffer.from('{"user_id":"'), Buffer.from(bytes), Buffer.from('"}')]);
      isFailure(await converse(body), 40000, /UTF-8/);
    }
  });

  it("__proto__ and constructor in a body supply no field", async () => {
    isFailure(await converse('{"__proto__":{"user_id":"a"}}'), 40000, /user_id is required/);
    isFailure(await converse('{"constructor":{"prototype":{"user_id":"a"}}}'), 40000, /user_id is required/);
    assert.equal((await converse('{"user_id":"a","__proto__":{"toString":1}}')).status, 200);
    isFailure(await converse("{}"), 40000, /user_id is required/);
    const answer = await send({
      method: "POST",
      path: "/admin/v1/agents",
      headers: { ...asOperator(bed), ...JSON_TYPE },
      body: '{"name":"a","__proto__":{"language":"zh-CN"}}',
    });
    assert.ok([200, 400].includes(answer.status), answer.text);
    if (answer.status === 200) assert.equal((answer.body as { language: string }).language, "en");
  });

  it("a path that cannot be decoded or names nothing is refused", async () => {
    for (const path of ["/agents/%zz", "/agents/%c0%80", "/agents/%"])
      isFailure(await administer(path), 40000);
    for (const id of ["%00", "%ed%a0%80", "1", "..", "a".repeat(2_000), "%27%20or%201=1"])
      assert.ok([400, 404].includes((await administer(`/agents/${id}`)).status), id);
    isFailure(await administer("/agents/%00"), 40000, /agent_id must be an id given by this service/);
    isFailure(await administer("/agents/0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21"), 40401, /no agent/);
  });

  it("an invalid query parameter is refused", async () => {
    const wrong = {
      "limit=0": /limit must be a whole number from 1 to 100/,
      "limit=101": /limit must be a whole number from 1 to 100/,
      "limit=1.5": /limit must be a whole number from 1 to 100/,
      "limit=ten": /limit must be a whole number from 1 to 100/,
      "limit=1&limit=2": /limit must be a whole number from 1 to 100/,
      "cursor=%00": /cursor must be the next_cursor of an earlier page of this list/,
      "cursor=abc": /cursor must be the next_cursor of an earlier page of this list/,
      "cursor=": /cursor must be the next_cursor of an earlier page of this list/,
      "cursor=a&cursor=b": /cursor must be a string/,
      "colour=red": /has no field colour/,
      "__proto__=1": /has no field __proto__/,
      "%zz=%zz": /has no field/,
      "=": /has no field/,
    };
    for (const [query, message] of Object.entries(wrong))
      isFailure(await administer(`/agents?${query}`), 40000, message);
    assert.equal((await administer("/agents?limit=1")).status, 200);
  });

  it("a request that is not HTTP is refused in the same two fields", async () => {
    const lines = {
      "no method": " / HTTP/1.1\r\nhost: x\r\n\r\n",
      "an unknown method": "FETCH / HTTP/1.1\r\nhost: x\r\n\r\n",
      "another protocol": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "a blank in a header's name": "GET / HTTP/1.1\r\nhost : x\r\nho st: y\r\n\r\n",
      "a bare carriage return": "GET / HTTP/1.1\r\nhost: x\rconnection: close\r\n\r\n",
      noise: "\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03",
      "two lengths": "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx",
      "a negative length": "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n",
      "a length and chunks":
        "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    };
    for (const [what, line] of Object.entries(lines)) {
      const answer = await sendBytes(bed.baseUrl, Buffer.from(line, "latin1"));
      assert.equal(answer.status, 400, `${what}: ${answer.text}`);
      isFailure(answer, 40000, /not valid HTTP/);
    }
    const broken = await converse("zz\r\n{}\r\n0\r\n\r\n", { ...JSON_TYPE, "transfer-encoding": "chunked" });
    isFailure(broken, 40000, /not valid HTTP/);
  });

  it("headers or a path that are too long are refused", async () => {
    isFailure(await send({ path: "/livez", headers: { "x-long": "x".repeat(70_000) } }), 41300, /headers/);
    isFailure(await send({ path: `/livez?${"x".repeat(70_000)}` }), 41300);
  });

  it("a body that ends before or continues after its announced length is refused", async () => {
    isFailure(await converse('{"user_id":"a"}', { ...JSON_TYPE, "content-length": "8" }), 40000);
    const head = `POST /v1/conversation HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${agent.apiKey}\r\n`;
    const cut = `${head}content-type: application/json\r\ncontent-length: 20\r\n\r\n{"user_id"`;
    isFailure(await sendBytes(bed.baseUrl, cut, { thenEnd: true }), 40000, /not valid HTTP/);
  });

  it("a missing Host, an unknown Expect and chunked bodies are handled as ordinary requests", async () => {
    const noHost = await sendBytes(bed.baseUrl, "GET /v1/nothing HTTP/1.1\r\nconnection: close\r\n\r\n");
    isFailure(noHost, 40401);
    isFailure(await converse("{}", { ...JSON_TYPE, expect: "a miracle" }), 40000, /user_id is required/);
    assert.equal((await converse('{"user_id":"a"}', { ...JSON_TYPE, expect: "100-continue" })).status, 200);
    const chunked = await converse('7\r\n{"user_\r\n8\r\nid":"a"}\r\n0\r\n\r\n', {
      ...JSON_TYPE,
      "transfer-encoding": "chunked",
    });
    assert.equal(chunked.status, 200, chunked.text);
  });

  it("an invalid Idempotency-Key is refused", async () => {
    for (const key of ["", "with blank", "k".repeat(256), "schlüssel"])
      isFailure(
        await converse('{"user_id":"a"}', { ...JSON_TYPE, "idempotency-key": key }),
        40000,
        /Idempotency-Key/,
      );
    assert.equal(
      (await converse('{"user_id":"a"}', { ...JSON_TYPE, "idempotency-key": "k".repeat(255) })).status,
      200,
    );
  });

  it("every answer names its request", async () => {
    for (const answer of [
      await converse("{"),
      await send({ path: "/v1/nothing" }),
      await converse('{"user_id":"a"}'),
    ])
      assert.match(answer.headers["signalbox-request-id"] ?? "", /^[0-9a-f-]{36}$/);
  });

  it("no hostile request leaves a crash in the log", async () => {
    await operatorOf(bed).agents.list();
    assert.doesNotMatch(bed.api().logs(), /"event":"(http_request|event_stream)_crashed"/);
  });

  // Last: it leaves crashes in the log.
  it("a crash of 4.1 or 4.2 is answered with code 50000 and its message, without the error's own text", async () => {
    const list = [{ question: "Where?", answer: "Here." }];
    const made = await agent.client.knowledge.add({ purpose: "QA_TEXT", name: "Before", qaList: list });
    const calls = [
      ["POST", "/v1/bot/doc/qa/add", { purpose: "QA_TEXT", name: "Now", qaList: list }],
      ["PUT", "/v1/bot/doc/qa/update", { doc_id: made.doc[0]?.doc_id, qaList: list }],
    ] as const;
    await bed.database.query("alter table document rename to document_away");
    try {
      for (const [method, path, body] of calls) {
        const headers = { ...bearer(agent.apiKey), ...JSON_TYPE };
        const answer = await send({ method, path, headers, body: JSON.stringify(body) });
        assert.deepEqual(
          [answer.status, answer.body],
          [500, { code: 50000, message: "Internal system error" }],
          path,
        );
      }
    } finally {
      await bed.database.query("alter table document_away rename to document");
    }
  });
});
