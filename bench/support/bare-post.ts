// A process of its own: posts COUNT messages to URL with nothing behind it. The ceiling of any sender on this machine.
import { Agent, request } from "undici";

const [url = "", count = "0", inFlight = "64"] = process.argv.slice(2);
const body = JSON.stringify({
  conversation_id: "00000000-0000-0000-0000-000000000000",
  text: "x".repeat(560),
});
const dispatcher = new Agent({ connections: Number(inFlight) });
let next = 0;
await Promise.all(
  Array.from({ length: Number(inFlight) }, async () => {
    while (next < Number(count)) {
      next += 1;
      const response = await request(url, {
        dispatcher,
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      await response.body.dump();
    }
  }),
);
await dispatcher.close();
