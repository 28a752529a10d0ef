import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Cause, Delivery } from "@signalbox/contract";
import { countLastHour } from "./count-last-hour.ts";

const NOW = Date.UTC(2026, 10, 16, 23, 30, 20);

function deliveryAt(create_time: number, state: Delivery["state"], cause: Cause | null = null): Delivery {
  // Only what is counted matters here.
  return { create_time, state, cause } as Delivery;
}

describe("countLastHour", () => {
  it("countLastHour puts each delivery into its minute of acceptance, oldest first", () => {
    const { minutes } = countLastHour(
      [
        deliveryAt(NOW, "delivered"),
        deliveryAt(NOW - 20_001, "pending"),
        deliveryAt(NOW - 59 * 60_000, "dead"),
      ],
      NOW,
    );
    assert.equal(minutes.length, 60);
    assert.deepEqual(minutes[59], { at: NOW - 20_000, delivered: 1, pending: 0, dead: 0 });
    assert.equal(minutes[58]?.pending, 1);
    assert.equal(minutes[0]?.dead, 1);
  });

  it("countLastHour leaves out what lies outside the hour and ranks causes by frequency", () => {
    const { minutes, causes } = countLastHour(
      [
        deliveryAt(NOW - 2 * 3_600_000, "dead", "timeout"),
        deliveryAt(NOW, "pending", "connect_refused"),
        deliveryAt(NOW, "pending", "connect_refused"),
      ],
      NOW,
    );
    assert.equal(
      minutes.reduce((sum, { dead }) => sum + dead, 0),
      0,
    );
    assert.deepEqual(causes[0], { cause: "connect_refused", count: 2 });
  });
});
