import { contentTermsOf } from "../../knowledge/index.ts";
import { readSmallTalk } from "../small-talk.ts";

export interface SpokenMessage {
  id: string;
  sender: "user" | "human";
  text: string;
  at: Date;
}

/** A user's question and what a human said to it. */
export interface Exchange {
  /** The id of the answer's first message. */
  id: string;
  question: string;
  answer: string;
  at: Date;
}

/** "Yes." says nothing without its question; a sentence of Chinese may be short. */
const ANSWER_CHARACTERS_MIN = 6;
const ASKS_BACK = /[?？]\s*$/;

/**
 * The answers in a handoff. A greeting, a thank-you and a question back answer nothing; the question is the last thing the user
 * wrote that says what it is about.
 */
export function readExchanges(
  messages: readonly SpokenMessage[],
  asksForPerson: (text: string) => boolean,
): Exchange[] {
  const exchanges: Exchange[] = [];
  let question: string | undefined;
  let said: SpokenMessage[] = [];
  const close = () => {
    const [first] = said;
    const answer = said.map(({ text }) => text.trim()).join("\n");
    if (first !== undefined && question !== undefined && isAnswer(answer)) {
      exchanges.push({ id: first.id, question, answer, at: first.at });
      question = undefined;
    }
    said = [];
  };
  for (const message of messages) {
    if (message.sender === "human") {
      said.push(message);
      continue;
    }
    close();
    if (isQuestion(message.text) && !asksForPerson(message.text)) question = message.text.trim();
  }
  close();
  return exchanges;
}

function isQuestion(text: string): boolean {
  return readSmallTalk(text) === undefined && contentTermsOf(text).length > 0;
}

function isAnswer(text: string): boolean {
  return (
    [...text].length >= ANSWER_CHARACTERS_MIN && !ASKS_BACK.test(text) && readSmallTalk(text) === undefined
  );
}
