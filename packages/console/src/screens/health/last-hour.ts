import type { Delivery } from "@signalbox/contract";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../service/index.ts";
import { countLastHour, type LastHour as Counts, MINUTE_MS, MINUTES } from "./count-last-hour.ts";

const PAGE = 100;
const DELIVERIES_MAX = 1_000;

interface LastHour extends Counts {
  /** By the webhook they were for. */
  deliveries: ReadonlyMap<string, readonly Delivery[]>;
}

/** The deliveries of the last hour, counted by minute and by cause; of very many, the newest. */
export function useLastHour(agentId: string | undefined) {
  return useQuery({
    queryKey: ["lastHour", agentId],
    refetchInterval: 15_000,
    queryFn: async ({ signal }): Promise<LastHour> => {
      const now = Date.now();
      const from_time = now - MINUTES * MINUTE_MS;
      const found: Delivery[] = [];
      let cursor: string | undefined;
      do {
        const page = await call(
          "listDeliveries",
          { agent_id: agentId, from_time, limit: PAGE, cursor },
          { signal },
        );
        found.push(...page.list);
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined && found.length < DELIVERIES_MAX);
      return {
        ...countLastHour(found, now),
        isPartial: cursor !== undefined,
        deliveries: Map.groupBy(found, ({ webhook_id }) => webhook_id),
      };
    },
  });
}
