import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import { getRequestListener } from "@hono/node-server";
import express from "express";
import { fastify, type FastifyInstance } from "fastify";
import { Hono } from "hono";
import { type CallToSend, prepareCall, sendCall } from "../testing/calling.ts";
import { sampleBody } from "../testing/samples.ts";
import { expressReceiver } from "./express.ts";
import { fastifyReceiver } from "./fastify.ts";
import { honoReceiver } from "./hono.ts";
import { nextApiReceiver, nextReceiver } from "./next.ts";
import { nodeReceiver } from "./node.ts";
import { RawBodyUnavailableError } from "./raw-body.ts";
import { createReceiver, type Receiver } from "./receiver.ts";

const trusted = {
  username: "signalbox",
  secret: "s3cret",
  signingSecrets: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
};
const closers: (() => unknown)[] = [];
after(() => Promise.all(closers.map((close) => close())));

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
}

async function serveFastify(prepare: (app: FastifyInstance) => unknown): Promise<string> {
  const app = fastify();
  prepare(app);
  closers.push(() => app.close());
  return `${await app.listen({ port: 0, host: "127.0.0.1" })}/hooks`;
}

/** What a web handler is given by the server of its framework. */
function webServer(handle: (request: Request) => Promise<Response>): RequestListener {
  const listen = getRequestListener(handle);
  return (request, response) => void listen(request, response);
}

const mounted: Record<string, (receiver: Receiver) => Promise<string>> = {
  web: (receiver) => serve(webServer(receiver.fetch)),
  node: (receiver) => serve(nodeReceiver(receiver)),
  "express, above its parser": (receiver) => {
    const app = express();
    app.use("/hooks", expressReceiver(receiver));
    app.use(express.json());
    return serve(app);
  },
  "express, behind a raw parser": (receiver) => {
    const app = express();
    app.use(express.raw({ type: "*/*", limit: "5mb" }));
    app.use("/hooks", expressReceiver(receiver));
    return serve(app);
  },
  fastify: (receiver) =>
    serveFastify((app) => {
      void app.register(fastifyReceiver(receiver), { prefix: "/hooks" });
      app.post("/other", (request) => request.body);
    }),
  hono: (receiver) => {
    const app = new Hono();
    app.post("/hooks/*", honoReceiver(receiver));
    return serve(webServer(async (request) => app.fetch(request)));
  },
  "next, a route handler": (receiver) => serve(webServer(nextReceiver(receiver).POST)),
  "next, an API route": (receiver) =>
    serve((request, response) => void nextApiReceiver(receiver)(request, response)),
};

/** Each framework's own way to lose the bytes. */
const parsedBefore: Record<string, (receiver: Receiver) => Promise<string>> = {
  express: (receiver) => {
    const app = express();
    app.use(express.json());
    app.use("/hooks", expressReceiver(receiver));
    return serve(app);
  },
  fastify: (receiver) =>
    serveFastify((app) => {
      app.addHook("preHandler", async (request) => {
        request.body = JSON.parse(String(request.body));
      });
      void app.register(fastifyReceiver(receiver), { prefix: "/hooks" });
    }),
  hono: (receiver) => {
    const app = new Hono();
    app.use(async (context, next) => {
      await context.req.json();
      await next();
    });
    app.post("/hooks/*", honoReceiver(receiver));
    return serve(webServer(async (request) => app.fetch(request)));
  },
  next: (receiver) =>
    serve((request, response) => {
      void (async () => {
        for await (const _ of request);
        await nextApiReceiver(receiver)(Object.assign(request, { body: {} }), response);
      })();
    }),
  node: (receiver) =>
    serve((request, response) => {
      request.once("data", () => nodeReceiver(receiver)(request, response));
    }),
  web: (receiver) =>
    serve(
      webServer(async (request) => {
        await request.json();
        return receiver.fetch(request);
      }),
    ),
};

async function call(url: string, given: Partial<CallToSend> = {}) {
  const kind = given.kind ?? "message";
  const result = await sendCall(
    await prepareCall({ url, kind, body: sampleBody(kind), ...trusted, ...given }),
  );
  assert.equal(result.kind, "answered");
  return result.kind === "answered" ? result : assert.fail();
}

describe("receiver in a framework", () => {
  for (const [name, mount] of Object.entries(mounted)) {
    it(`a receiver in ${name} verifies the raw body of every call and passes it to its handler`, async () => {
      const heard: string[] = [];
      const receiver = createReceiver({
        ...trusted,
        onMessage: ({ output }) => void heard.push(output[0]?.content.text ?? ""),
        onHandoffRequested: () => void heard.push("requested"),
        onUserMessage: ({ body }) => void heard.push(body),
        onHandoffClosed: ({ type }) => void heard.push(type),
      });
      const url = await mount(receiver);
      const oddly = JSON.stringify(sampleBody("message"), null, 3).replace("nine", "n\\u0069ne");
      assert.deepEqual(
        [(await call(url, { body: oddly })).status, heard[0]],
        [200, "We open at nine, every day but Sunday."],
      );
      const chat = await call(url, {
        kind: "user_message",
        body: sampleBody("user_message", { body: "你好".repeat(50_000) }),
      });
      assert.deepEqual([chat.status, chat.text], [200, '{"code":200,"message":"success"}']);
      assert.equal(heard[1]?.length, 100_000);
      for (const kind of ["handoff_requested", "handoff_closed"] as const)
        assert.equal((await call(url, { kind })).status, 200);
      assert.equal(heard.length, 4);
      assert.equal((await call(url, { signingSecrets: "whsec_b3RoZXI=" })).status, 401);
      assert.equal((await call(url, { kind: "handoff_closed", secret: "wrong" })).status, 401);
      assert.equal((await call(url, { body: "" })).status, 400);
      const large = await call(url, { body: " ".repeat(4 * 1024 * 1024 + 1) });
      assert.equal(large.status, 413);
      assert.equal(heard.length, 4);
    });
  }

  for (const [framework, mount] of Object.entries(parsedBefore)) {
    it(`a body that was read before is refused with the fix for ${framework}`, async () => {
      const errors: unknown[] = [];
      const receiver = createReceiver({
        ...trusted,
        onMessage: () => assert.fail("handled"),
        onError: (error) => errors.push(error),
      });
      const { status, text } = await call(await mount(receiver));
      assert.equal(status, 500);
      const [error] = errors;
      assert.ok(error instanceof RawBodyUnavailableError);
      assert.equal(error.framework, framework);
      assert.ok(error.message.endsWith(error.fix));
      assert.equal((JSON.parse(text) as { message: string }).message, error.message);
    });
  }
});
