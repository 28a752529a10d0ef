import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { createAgentShare, LimitReached } from "./agent-share.ts";
import { atMost } from "@signalbox/tests/support/machine.ts";

const WORK_MS = 80;

function shareOf(restShare: number) {
  const share = createAgentShare({
    name: "agent_document_writes",
    total: 4,
    perAgent: 1,
    waitMs: 2_000,
    restShare,
  });
  const beganAt = performance.now();
  const begin = (agentId: string, workMs: number) =>
    share(agentId, async () => {
      const beginsMs = performance.now() - beganAt;
      await setTimeout(workMs);
      return beginsMs;
    });
  return begin;
}

describe("agent share", () => {
  it("an agent rests as long as its work took, and no other agent does", async () => {
    const begin = shareOf(1);
    const [, second, other] = await Promise.all([
      begin("busy", WORK_MS),
      begin("busy", 0),
      begin("other", 0),
    ]);
    assert.ok(second >= 2 * WORK_MS - 5, `the second work began after ${second} ms`);
    atMost(other, WORK_MS, "the start of the other agent's work");
  });

  it("the caller is answered before the agent's rest", async () => {
    const beganAt = performance.now();
    await shareOf(10)("busy", WORK_MS);
    atMost(performance.now() - beganAt, 5 * WORK_MS, "the answer");
  });

  it("short work needs no rest", async () => {
    const begin = shareOf(100);
    const [, second] = await Promise.all([begin("busy", 5), begin("busy", 0)]);
    assert.ok(second < 400, `the second work began after ${second} ms`);
  });

  it("work that waited too long for its share is refused", async () => {
    const share = createAgentShare({ name: "agent_document_writes", total: 4, perAgent: 1, waitMs: 10 });
    const slow = share("busy", () => setTimeout(WORK_MS));
    await assert.rejects(
      share("busy", () => Promise.resolve()),
      LimitReached,
    );
    await slow;
  });
});
