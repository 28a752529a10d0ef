import type { Delivery } from "@signalbox/contract";
import { classNames } from "../../design/index.ts";
import { useCall } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";

const SHOWN = 40;
const LOOK: Record<Delivery["state"], string> = {
  delivered: "h-4 bg-good",
  pending: "h-2.5 bg-warn",
  dead: "h-4 bg-bad",
};

/** The last deliveries to one destination, newest first; undefined until they are known. */
export function useRecent(agentId: string, webhookId: string): readonly Delivery[] | undefined {
  const { data } = useCall(
    "listDeliveries",
    { agent_id: agentId, webhook_id: webhookId, limit: SHOWN },
    { refetchMs: 5_000 },
  );
  return data?.list;
}

/** The same, oldest first: a tick each, told in words as well. */
export function RecentStrip({ recent }: { recent: readonly Delivery[] | undefined }) {
  const text = useScreenWords().endpoints;
  const list = recent?.toReversed() ?? [];
  const count = (state: Delivery["state"]) => list.filter((delivery) => delivery.state === state).length;
  if (recent !== undefined && list.length === 0)
    return <span className="text-ink-faint">{text.recentNone}</span>;
  return (
    <span className="flex min-w-0 flex-col gap-1">
      <span aria-hidden className="flex h-4 items-end gap-0.5">
        {list.map((delivery) => (
          <span key={delivery.delivery_id} className={classNames("w-1 rounded-xs", LOOK[delivery.state])} />
        ))}
      </span>
      <span className="text-2xs text-ink-faint">
        {text.recentSummary(count("delivered"), count("dead"), count("pending"))}
      </span>
    </span>
  );
}
