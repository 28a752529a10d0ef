import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readSmallTalk, smallTalkReply } from "./small-talk.ts";

const SETTINGS = {
  name: "n",
  language: "en",
  fallbackText: undefined,
  directScore: undefined,
  answerScore: undefined,
  smallTalk: undefined,
  synonyms: [] as string[][],
} as const;

describe("small talk", () => {
  for (const [text, kind] of [
    ["Hello!", "greeting"],
    ["heyyyy", "greeting"],
    ["hello, anyone there?", "greeting"],
    ["good evening", "greeting"],
    ["how are you doing today", "how_are_you"],
    ["Thanks a lot!!", "thanks"],
    ["you’re really helpful", "thanks"],
    ["sorry, my mistake", "apology"],
    ["ok bye", "goodbye"],
    ["Hi, am I talking to a bot?", "identity"],
    ["great, that's all I needed", "acknowledgement"],
    ["never mind", "acknowledgement"],
    ["you are useless", "insult"],
    ["👍", "emoji"],
    ["❤️❤️", "emoji"],
    ["你好呀", "greeting"],
    ["在吗？", "greeting"],
    ["谢谢啦～", "thanks"],
    ["辛苦了", "thanks"],
    ["嗯嗯知道了", "acknowledgement"],
    ["你是机器人吗", "identity"],
    ["再见", "goodbye"],
    ["不好意思", "apology"],
    ["笨蛋", "insult"],
  ] as const)
    it(`the small talk "${text}" is read as ${kind}`, () => assert.equal(readSmallTalk(text), kind));

  for (const text of [
    "hello, how do I return a parcel?",
    "thanks, and how much is shipping",
    "what's up with my order",
    "do you ship to Germany",
    "你好，请问几点开门",
    "谢谢，那运费多少",
    "???",
    "",
    "42",
  ])
    it(`the text "${text}" is not small talk`, () => assert.equal(readSmallTalk(text), undefined));

  it("small talk in Traditional characters is read as in Simplified ones", () => {
    for (const [traditional, inSimplified] of [
      ["謝謝", "谢谢"],
      ["多謝", "多谢"],
    ] as const)
      assert.equal(readSmallTalk(traditional), readSmallTalk(inSimplified), traditional);
  });

  it("a small-talk reply is in the agent's language, in its own text if set, and absent when turned off", () => {
    assert.match(smallTalkReply(SETTINGS, "greeting") ?? "", /^Hello/);
    assert.match(smallTalkReply({ ...SETTINGS, language: "zh-CN" }, "thanks") ?? "", /不客气/);
    const own = { ...SETTINGS, smallTalk: { enabled: true, replies: { greeting: "Ahoy!" } } };
    assert.equal(smallTalkReply(own, "greeting"), "Ahoy!");
    assert.match(smallTalkReply(own, "goodbye") ?? "", /^Goodbye/);
    assert.equal(smallTalkReply({ ...SETTINGS, smallTalk: { enabled: false } }, "greeting"), undefined);
  });
});
