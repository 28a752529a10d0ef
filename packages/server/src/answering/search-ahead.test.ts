import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AgentKnowledge, Choice, Found } from "./agent-knowledge.ts";
import { openSearches } from "./search-ahead.ts";

const ALL: Choice = { most: 5 };
const FOUND: Found = { pairs: [], searchedBy: "words", decision: "fallback", embeddingTokens: 3 };

describe("search that is begun before its question is asked", () => {
  function open({ hasEmbedding = false, fails = false } = {}) {
    const searched: string[] = [];
    const measured: string[] = [];
    const models = hasEmbedding ? { embedding: {} } : {};
    const find = async (question: string) => {
      searched.push(question);
      if (fails) throw new Error("too many searches");
      return FOUND;
    };
    const knowledge = { find, models } as unknown as AgentKnowledge;
    const searches = openSearches(knowledge, ALL, ({ part }) => void measured.push(part));
    return { searches, searched, measured };
  }

  it("a question that was looked up ahead is searched and measured once", async () => {
    const { searches, searched, measured } = open();
    searches.begin("When do you open?");
    assert.deepEqual(searched, ["When do you open?"]);
    assert.equal(await searches.find("When do you open?", ALL), FOUND);
    assert.deepEqual([searched.length, measured], [1, ["search"]]);
  });

  it("another question, or the same in part of the knowledge, is searched by itself", async () => {
    const { searches, searched } = open();
    searches.begin("When do you open?");
    await searches.find("Where are you?", ALL);
    await searches.find("When do you open?", { ...ALL, documentsIn: () => [] });
    assert.deepEqual(searched, ["When do you open?", "Where are you?", "When do you open?"]);
  });

  it("an embedding model is asked for no message that may still be refused", () => {
    const { searches, searched } = open({ hasEmbedding: true });
    searches.begin("When do you open?");
    assert.deepEqual(searched, []);
  });

  it("a search that fails ahead fails the call that asks its question, and none if it is not asked", async () => {
    const { searches } = open({ fails: true });
    searches.begin("When do you open?");
    await new Promise((resolve) => setImmediate(resolve));
    await assert.rejects(searches.find("When do you open?", ALL), /too many searches/);
  });
});
