import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getPriority, setPriority } from "node:os";
import { startModelServer } from "../support/model-server.ts";
import type { Tally } from "./tally.ts";
import { VECTORS, type Arsenal } from "./vectors.ts";

/** What the campaign asks of this process, and what it answers. */
export type Order = { vector: string; seconds: number; arsenal: Arsenal };
export type Notice = { kind: "ready"; modelUrl: string; fileUrl: string } | { kind: "done"; tally: Tally };

const NICER_BY = 19;
const DRIP_MS = 500;
/** Digits with blanks between them: what a pattern with nested quantifiers chokes on. */
const HOSTILE_TEXT = `${"1234567890 ".repeat(40)}x `.repeat(10);

/** One byte, then another half a second later, for as long as somebody reads. */
function drip(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/csv" });
  response.write("question,answer\n");
  const timer = setInterval(() => response.write("a"), DRIP_MS);
  response.once("close", () => clearInterval(timer));
}

function tell(notice: Notice): void {
  process.send?.(notice);
}

// The abuser would have a machine of its own: here the service comes first on the cores they share.
setPriority(Math.min(getPriority() + NICER_BY, NICER_BY));
const model = await startModelServer();
const files = createServer((_request, response) => drip(response));
await new Promise<void>((resolve) => files.listen(0, "127.0.0.1", resolve));
const { port } = files.address() as AddressInfo;

process.on("message", (order: Order) => void carryOut(order));
process.on("disconnect", () => process.exit(0));
tell({ kind: "ready", modelUrl: model.url, fileUrl: `http://127.0.0.1:${port}` });

async function carryOut({ vector: name, seconds, arsenal }: Order): Promise<void> {
  const vector = VECTORS.find((each) => each.name === name);
  if (vector === undefined) throw new Error(`there is no vector named ${name}`);
  const tally: Tally = { requests: 0, accepted: 0, refused: 0, failed: 0 };
  await vector.attack({
    arsenal,
    tally,
    over: AbortSignal.timeout(seconds * 1000),
    model: (behaviour) =>
      model.answer(() => (behaviour === "silence" ? { silence: true } : { say: HOSTILE_TEXT })),
  });
  tell({ kind: "done", tally });
}
