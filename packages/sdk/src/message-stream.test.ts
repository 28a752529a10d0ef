import assert from "node:assert/strict";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { MessageStreamEvent } from "@signalbox/contract";
import { createClient } from "./client.ts";
import { SignalboxConnectionError, SignalboxError } from "./errors.ts";

const id = "0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21";
const question = { conversation_id: id, messages: [{ role: "user" as const, content: "When?" }] };
const servers: Server[] = [];
after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(answer: (response: ServerResponse, body: string, count: number) => void) {
  let count = 0;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => answer(response, body, ++count));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { client: createClient({ baseUrl, apiKey: "k" }), count: () => count };
}

const event = (code: number, message: string, data: unknown) =>
  `data:${JSON.stringify({ code, message, data })}\n\n`;
const info = event(11, "MessageInfo", { message_id: id });
const end = event(0, "End", null);

function open(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "signalbox-request-id": "r1" });
}

describe("streamMessage", () => {
  it("streamMessage yields each event while the service is still writing", async () => {
    const speaking: { say?: (text: string) => void } = {};
    const { client } = await serve((response, body) => {
      assert.deepEqual(JSON.parse(body), { ...question, response_mode: "streaming" });
      open(response);
      response.write(info);
      speaking.say = (text) => response.write(text);
    });
    const seen: string[] = [];
    for await (const event of client.conversations.streamMessage(question)) {
      if (event.message === "Text") seen.push(event.data);
      if (seen.length === 0) speaking.say?.(eventText("At "));
      else if (seen.length === 1) speaking.say?.(eventText("nine."));
      else speaking.say?.(end);
    }
    assert.deepEqual(seen, ["At ", "nine."]);
  });

  it("streamMessage yields every event of the contract, suggestions included", async () => {
    const told = MessageStreamEvent.options.flatMap(({ shape }) =>
      "value" in shape.code && shape.code.value !== 0 ? [shape.code.value] : [],
    );
    const { client } = await serve((response) => {
      open(response);
      response.end(told.map((code) => event(code, "any", null)).join("") + end);
    });
    const seen: number[] = [];
    for await (const { code } of client.conversations.streamMessage(question)) seen.push(code);
    assert.deepEqual(seen, told);
    assert.ok(told.includes(12), "Suggestions");
  });

  it("a reply that is withdrawn is told as an event, then as the failure, and is never taken for text", async () => {
    const { client } = await serve((response) => {
      open(response);
      const withdrawn = event(13, "Withdrawn", { message_id: id });
      response.end(info + eventText("At ") + withdrawn + event(40900, "a human is handling it", null));
    });
    const stream = client.conversations.streamMessage(question);
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { message } of stream) seen.push(message);
    })();
    await assert.rejects(reading, { failureName: "stateConflict" });
    assert.deepEqual(seen, ["MessageInfo", "Text", "Withdrawn"]);
    await assert.rejects(client.conversations.streamMessage(question).text(), {
      failureName: "stateConflict",
    });
  });

  it("streamMessage text() joins the text events and leaves out unknown ones", async () => {
    const { client } = await serve((response) => {
      open(response);
      response.end(info + eventText("At ") + event(99, "New", {}) + eventText("nine.") + end);
    });
    const stream = client.conversations.streamMessage(question);
    assert.equal((await stream.withResponse()).requestId, "r1");
    assert.equal(await stream.text(), "At nine.");
    await assert.rejects(stream.text(), /read once/);
  });

  it("streamMessage rejects when it is refused and is retried until the stream is open", async () => {
    const refusing = await serve((response) => {
      response.writeHead(409, { "content-type": "application/json" });
      response.end(JSON.stringify({ code: 40900, message: "State conflict" }));
    });
    await assert.rejects(refusing.client.conversations.streamMessage(question).text(), {
      failureName: "stateConflict",
    });
    const late = await serve((response, _, count) => {
      if (count === 1) return void response.destroy();
      open(response);
      response.end(eventText("yes") + end);
    });
    assert.equal(await late.client.conversations.streamMessage(question).text(), "yes");
    assert.equal(late.count(), 2);
  });

  it("a stream that breaks off, ends early, fails midway or falls silent is never taken for complete", async () => {
    const cases: [(response: ServerResponse) => void, new (...given: never[]) => Error, RegExp][] = [
      [
        (response) => setTimeout(() => response.destroy(), 20),
        SignalboxConnectionError,
        /connection closed during the stream/,
      ],
      [(response) => response.end(), SignalboxConnectionError, /ended early/],
      [(response) => response.end(event(50000, "Internal system error", null)), SignalboxError, /Internal/],
      [(response) => response.end("data: <html>\n\n"), SignalboxError, /invalid event/],
      [() => undefined, SignalboxConnectionError, /connection closed during the stream/],
    ];
    for (const [behave, error, message] of cases) {
      const { client, count } = await serve((response) => {
        open(response);
        response.write(eventText("half"));
        behave(response);
      });
      const read = client.conversations.streamMessage(question, { timeoutMs: 300 }).text();
      await assert.rejects(read, (thrown) => {
        assert.ok(thrown instanceof error);
        assert.match(thrown.message, message);
        return true;
      });
      assert.equal(count(), 1);
    }
  });

  it("a stream may last longer than the timeout while events arrive", async () => {
    const { client } = await serve((response) => {
      open(response);
      void (async () => {
        for (let step = 0; step < 6; step += 1) {
          response.write(eventText("."));
          await sleep(100);
        }
        response.end(end);
      })();
    });
    assert.equal(await client.conversations.streamMessage(question, { timeoutMs: 400 }).text(), "......");
  });

  it("streamMessage closes the connection when its reader stops", async () => {
    const hungUp = Promise.withResolvers<void>();
    const { client } = await serve((response) => {
      open(response);
      response.write(eventText("one"));
      response.on("close", hungUp.resolve);
    });
    for await (const event of client.conversations.streamMessage(question)) {
      assert.equal(event.message, "Text");
      break;
    }
    await hungUp.promise;
  });
});

function eventText(text: string): string {
  return event(3, "Text", text);
}
