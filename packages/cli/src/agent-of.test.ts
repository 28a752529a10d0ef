import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Client, MissingCredentialError } from "@signalbox/sdk";
import { agentOf } from "./agent-of.ts";

/** A service with these agents, as a client with or without an API key sees it. */
function clientOf(agents: string[], ofKey?: string): Client {
  const list = agents.map((agent_id) => ({ agent_id, delete_time: null }));
  return {
    agents: { list: () => Promise.resolve({ list, next_cursor: null }) },
    keys: {
      verify: () =>
        ofKey === undefined
          ? Promise.reject(new MissingCredentialError("keys.verify", "apiKey"))
          : Promise.resolve({ entity_type: "agent", entity_id: ofKey }),
    },
  } as unknown as Client;
}

describe("agent of a command", () => {
  it("a command takes the named agent, else that of the API key, else the only one", async () => {
    assert.equal(await agentOf(clientOf(["a", "b"], "b"), "c"), "c");
    assert.equal(await agentOf(clientOf(["a", "b"], "b"), undefined), "b");
    assert.equal(await agentOf(clientOf(["a"]), undefined), "a");
  });

  it("a command without a key and with several agents says how to choose, and without any how to begin", async () => {
    await assert.rejects(agentOf(clientOf(["a", "b"]), undefined), /--agent or SIGNALBOX_API_KEY/);
    await assert.rejects(agentOf(clientOf([]), undefined), /agents create/);
  });
});
