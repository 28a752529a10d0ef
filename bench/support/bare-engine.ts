// A process of its own: one durable call a message, one at a time for each key, a POST each, and nothing else.
import { createServer } from "node:http2";
import { createEndpointHandler, handlers, object, type ObjectContext } from "@restatedev/restate-sdk";
import { Agent, request } from "undici";

const [port = "0", url = ""] = process.argv.slice(2);
const dispatcher = new Agent({ connections: 128 });
const bare = object({
  name: "bare",
  handlers: {
    post: handlers.object.exclusive({}, async (context: ObjectContext) => {
      const body = JSON.stringify({ conversation_id: context.key, text: "x".repeat(560) });
      const response = await request(url, {
        dispatcher,
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      await response.body.dump();
    }),
  },
  options: { journalRetention: 0, idempotencyRetention: 0 },
});
createServer(createEndpointHandler({ services: [bare], logger: () => undefined })).listen(
  Number(port),
  "127.0.0.1",
  () => console.log("ready"),
);
