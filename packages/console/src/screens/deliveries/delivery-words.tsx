import type { Delivery, DestinationState } from "@signalbox/contract";
import { CircleCheck, CircleOff, CircleX, Clock, RotateCw, TriangleAlert } from "lucide-react";
import { useMemo } from "react";
import { Badge } from "../../design/index.ts";
import { usePages } from "../../service/index.ts";
import { type ScreenWords, useScreenWords } from "../../words/index.ts";
import type { DestinationHealth } from "./destination-health.ts";

export function DeliveryStateBadge({ delivery }: { delivery: Pick<Delivery, "state" | "attempt_count"> }) {
  const { states } = useScreenWords().deliveries;
  if (delivery.state === "delivered")
    return (
      <Badge tone="good" icon={CircleCheck}>
        {states.delivered}
      </Badge>
    );
  if (delivery.state === "dead")
    return (
      <Badge tone="bad" icon={CircleX}>
        {states.dead}
      </Badge>
    );
  if (delivery.attempt_count > 0)
    return (
      <Badge tone="warn" icon={RotateCw}>
        {states.retrying(delivery.attempt_count)}
      </Badge>
    );
  return (
    <Badge tone="neutral" icon={Clock}>
      {states.pending}
    </Badge>
  );
}

const HEALTH = {
  closed: { tone: "good", icon: CircleCheck },
  partly: { tone: "warn", icon: TriangleAlert },
  failing: { tone: "bad", icon: CircleX },
  open: { tone: "bad", icon: CircleX },
  disabled: { tone: "bad", icon: CircleOff },
} as const;

export function DestinationBadge({ health }: { health: DestinationHealth }) {
  const { breakers } = useScreenWords().endpoints;
  return <Badge {...HEALTH[health]}>{breakers[health]}</Badge>;
}

/** Where deliveries go, by the id they carry. */
export function useDestinations(agentId: string | undefined) {
  const query = usePages("listDestinations", { agent_id: agentId, limit: 100 });
  const byId = useMemo(() => new Map(query.entries.map((one) => [one.webhook_id, one])), [query.entries]);
  return { ...query, byId };
}

export function destinationName(destination: DestinationState | undefined, words: ScreenWords): string {
  if (destination === undefined) return words.deliveries.unknownDestination;
  if (destination.kind === "operator") return words.deliveries.operatorWebhook;
  return destination.name ?? words.deliveries.messageWebhook;
}

/** An address without what all of them have. */
export function shortUrl(url: string): string {
  return url.replace(/^https?:\/\//, "");
}
