import type { AgentResponseMessage, RequestOf } from "@signalbox/contract";
import { makeAgent, operatorOf, type AgentToMake, type MadeAgent } from "./agents.ts";
import { openBed, type Bed } from "./bed.ts";
import { startModelServer, type ModelServer } from "./model-server.ts";

export const SAW_PAIRS = [
  { question: "How long is the warranty of the saw?", answer: "The warranty of the saw is 24 months." },
  { question: "Which oil does the saw need?", answer: "The saw needs chain oil, about 50 ml an hour." },
];
/** What is answered without a model. */
export const WARRANTY = "The warranty of the saw is 24 months.";
/** Near enough to be an answer, too far to be given word for word. */
export const VAGUE = "tell me about the saw warranty please";
/** What a model may say to that, and what the user then reads. */
export const SAID = "The saw has a warranty of 24 months [1].";
export const HEARD = "The saw has a warranty of 24 months.";

export interface SawShop {
  model: ModelServer;
  bed: Bed;
  agent: MadeAgent;
  setChat: (given?: Partial<RequestOf<"setChatModel">>) => Promise<unknown>;
  /** The answer as it arrives at the webhook. */
  askIn: (conversation: string, text: string) => Promise<AgentResponseMessage>;
  /** In a conversation of its own. */
  ask: (text: string) => Promise<AgentResponseMessage>;
}

/** One api, one worker, and an agent whose model says what it is told to. */
export async function openSawShop(
  open: AsyncDisposableStack,
  { environment = {}, ...wanted }: AgentToMake & { environment?: Record<string, string> } = {},
): Promise<SawShop> {
  const model = open.use(await startModelServer());
  const bed = open.use(await openBed({ apis: 1, workers: 1, environment }));
  const agent = await makeAgent(bed, { qaList: SAW_PAIRS, ...wanted });

  async function askIn(conversation: string, text: string): Promise<AgentResponseMessage> {
    const before = agent.arrived().length;
    await agent.ask(conversation, text);
    return (await agent.arrivals(before + 1)).at(-1)?.body as AgentResponseMessage;
  }

  return {
    model,
    bed,
    agent,
    setChat: (given = {}) =>
      operatorOf(bed).models.setChat({
        agent_id: agent.agentId,
        url: model.url,
        model: "talker",
        api_key: "sk-test",
        ...given,
      }),
    askIn,
    ask: async (text) => askIn(await agent.converse(), text),
  };
}

/** By which part the agent answered, and with which words. */
export function saidIn({
  output,
}: Pick<AgentResponseMessage, "output">): [string | undefined, string | undefined] {
  return [output[0]?.from_component_branch, output[0]?.content.text];
}
