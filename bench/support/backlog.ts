import { createServer } from "node:http";
import type { Bed } from "@signalbox/tests/support/bed.ts";

const TEXT = "x".repeat(500);
const CONVERSATION = /"conversation_id":"([0-9a-f-]{36})"/;
const LANES_A_STATEMENT = 500;

/**
 * Messages that wait for a webhook, `perLane` in each lane, as if accepted over the last half hour. Written as rows: a million
 * through the API would take an hour and measure something else.
 */
export async function addBacklog(
  bed: Bed,
  {
    agentId,
    webhookId,
    lanes,
    perLane,
  }: { agentId: string; webhookId: string; lanes: number; perLane: number },
): Promise<void> {
  for (let made = 0; made < lanes; made += LANES_A_STATEMENT) {
    await bed.database.query(
      `with made as (
         insert into lane (agent_id, id, destination_id, conversation_id, state, tail_seq, pending_since)
         select $1, gen_random_uuid(), $2, gen_random_uuid(), 'awake', $4, date_trunc('milliseconds', now() - (1 + random()) * interval '15 minutes')
         from generate_series(1, $3::integer) returning id, conversation_id, pending_since
       )
       insert into delivery (agent_id, lane_id, seq, id, created_at, event, sender, body)
       select $1, made.id, seq, gen_random_uuid(), pending_since + (seq - 1) * interval '15 minutes' / $4, 'message', 'ai',
         convert_to(format('{"conversation_id":"%s","text":"%s"}', conversation_id, $5::text), 'utf8')
       from made, generate_series(1, $4::integer) seq`,
      [agentId, webhookId, Math.min(LANES_A_STATEMENT, lanes - made), perLane, TEXT],
    );
  }
  await bed.database.query("analyze lane; analyze delivery");
}

/** Sees whether every lane's messages come in order and without a gap; repeats of the last one are no fault of order. */
export interface OrderedArrivals extends AsyncDisposable {
  arrived(): number;
  outOfOrder(): number;
}

export async function openOrderedArrivals(port: number): Promise<OrderedArrivals> {
  const lastOf = new Map<string, number>();
  let arrived = 0;
  let outOfOrder = 0;
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("latin1");
    request.on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      const lane = CONVERSATION.exec(body)?.[1] ?? "";
      const sequence = Number(request.headers["signalbox-sequence"]);
      const last = lastOf.get(lane) ?? 0;
      if (sequence === last + 1) {
        arrived += 1;
        lastOf.set(lane, sequence);
      } else if (sequence !== last) {
        outOfOrder += 1;
      }
      response.writeHead(200, { "content-type": "application/json" }).end('{"code":200,"msg":"success"}');
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    arrived: () => arrived,
    outOfOrder: () => outOfOrder,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
