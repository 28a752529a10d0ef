import {
  type AgentModel,
  MODEL_KINDS,
  type ModelFailure,
  type ModelTest,
  type SpeechModel,
} from "@signalbox/contract";
import { isFailure } from "@signalbox/sdk";
import { AGENT_OPTION, agentOf } from "../agent-of.ts";
import { type Command, type CommandContext, oneOf, required, wholeNumber } from "../command.ts";
import { EXIT_CODES, exitCodeFor, type ExitCode } from "../exit-codes.ts";
import { timeText } from "../output.ts";

const ACTIONS = ["show", "set", "test", "remove"] as const;
const CALLS = {
  chat: { get: "getChat", set: "setChat", test: "testChat", remove: "deleteChat" },
  chat_fallback: {
    get: "getChatFallback",
    set: "setChatFallback",
    test: "testChatFallback",
    remove: "deleteChatFallback",
  },
  embedding: { get: "getEmbedding", set: "setEmbedding", test: "testEmbedding", remove: "deleteEmbedding" },
  speech: { get: "getSpeech", set: "setSpeech", test: "testSpeech", remove: "deleteSpeech" },
} as const;
type Kind = keyof typeof CALLS;
const KINDS = Object.keys(CALLS) as Kind[];
const FORMATS = ["mp3", "opus", "aac", "flac", "wav"] as const;

/** A model may take as long as an answer waits for it. */
const TEST_TIMEOUT_MS = 40_000;

export const modelCommand: Command = {
  name: "model",
  summary: "Manage an agent's models: show, set, test or remove",
  about: [
    "The chat model puts answers into words and converts documents; the fallback model is asked when it fails; the embedding model searches by meaning; the speech model reads answers aloud. Any server with OpenAI's API will do. Requires an operator token.",
    "test calls the model once, as the agent does, and says why it does not work and what to do. With a URL or options it tests these in place of what is stored, and stores nothing.",
  ],
  arguments: [
    { name: "ACTION", summary: "Action to run; show by default", choices: ACTIONS },
    { name: "URL", summary: "Base URL of the model's server including /v1, for set and test" },
  ],
  options: [
    AGENT_OPTION,
    { name: "kind", value: "KIND", summary: "Which model; chat by default", choices: KINDS },
    { name: "model", value: "NAME", summary: "Name of the model, as its server lists it" },
    { name: "key", value: "KEY", summary: "API key of the model's server; unchanged if left out" },
    { name: "timeout", value: "SECONDS", summary: "How long a reply may take; 20 by default" },
    { name: "voice", value: "NAME", summary: "Voice of a speech model" },
    { name: "format", value: "FORMAT", summary: "Format of its audio; mp3 by default", choices: FORMATS },
  ],
  examples: [
    'signalbox model set https://api.openai.com/v1 --model gpt-5-mini --key "$OPENAI_API_KEY"',
    "signalbox model test",
    'signalbox model test https://api.openai.com/v1 --model gpt-5-nano --key "$OPENAI_API_KEY"',
    'signalbox model set https://api.openai.com/v1 --kind speech --model tts-1 --voice alloy --key "$OPENAI_API_KEY"',
    "signalbox model set http://127.0.0.1:11434/v1 --kind embedding --model nomic-embed-text",
    'signalbox model set https://api.deepseek.com/v1 --kind chat_fallback --model deepseek-chat --key "$DEEPSEEK_API_KEY"',
    "signalbox model remove --kind embedding",
  ],
  async run(context) {
    const [action, url] = context.arguments;
    const chosen = oneOf(action ?? "show", ACTIONS, "ACTION");
    const kind = oneOf(context.options.text("kind"), KINDS, "--kind") ?? "chat";
    const agent = { agent_id: await agentOf(context.client(), context.options.text("agent")) };
    switch (chosen) {
      case "set":
        return set(context, agent, kind, required(url, "URL"));
      case "test":
        return test(context, agent, kind, url);
      case "remove":
        return remove(context, agent, kind);
      default:
        return show(context, agent, kind);
    }
  },
};

type Named = { agent_id: string };

async function show({ client, output }: CommandContext, agent: Named, kind: Kind): Promise<ExitCode> {
  const read: Promise<AgentModel | SpeechModel> = client().models[CALLS[kind].get](agent);
  const model = await read.catch((error: unknown) => {
    if (isFailure(error, "notFound")) return undefined;
    throw error;
  });
  if (model === undefined) {
    output.failure(`No ${nameOf(kind)}. Set one with: signalbox model set URL --kind ${kind} --model NAME`);
    return EXIT_CODES.notWell.code;
  }
  output.result(model, () => {
    output.line(`${model.model} at ${model.url}`);
    output.note(`${keyOf(model)}; updated ${timeText(model.update_time)} UTC`);
    if (model.failure !== null) output.line(describeFailure(model.failure));
  });
  return exitCodeFor(model.failure === null);
}

function nameOf(kind: Kind): string {
  return MODEL_KINDS[kind].toLowerCase();
}

function keyOf({ api_key_set }: Pick<AgentModel, "api_key_set">): string {
  return api_key_set ? "with a key" : "without a key";
}

/** What the command line says of a model; the rest stays as it is stored. */
function givenIn({ options }: CommandContext, url: string | undefined) {
  const [model, key, voice] = [options.text("model"), options.text("key"), options.text("voice")];
  const timeout = wholeNumber(options.text("timeout"), "--timeout");
  const format = oneOf(options.text("format"), FORMATS, "--format");
  return {
    ...(url !== undefined && { url }),
    ...(model !== undefined && { model }),
    ...(key !== undefined && { api_key: key }),
    ...(timeout !== undefined && { timeout_seconds: timeout }),
    ...(voice !== undefined && { voice }),
    ...(format !== undefined && { format }),
  };
}

async function set(context: CommandContext, agent: Named, kind: Kind, url: string): Promise<ExitCode> {
  const { client, output, options } = context;
  const request = {
    ...agent,
    ...givenIn(context, url),
    url,
    model: required(options.text("model"), "--model"),
  };
  const { models } = client();
  const model = await (kind === "speech"
    ? models.setSpeech({ ...request, voice: required(request.voice, "--voice") })
    : models[CALLS[kind].set](request));
  output.result(model, () => {
    const again = kind === "chat" ? "" : ` --kind ${kind}`;
    output.note(
      `The agent now uses ${model.model} as its ${nameOf(kind)}. Next, test it: signalbox model test${again}`,
    );
  });
  return EXIT_CODES.ok.code;
}

async function test(
  context: CommandContext,
  agent: Named,
  kind: Kind,
  url: string | undefined,
): Promise<ExitCode> {
  const { client, output } = context;
  const request = { ...agent, ...givenIn(context, url) };
  const tested = await client().models[CALLS[kind].test](request, { timeoutMs: TEST_TIMEOUT_MS });
  const { works, asked, latency_ms, tokens, failure } = tested;
  output.result(tested, () => {
    output.line(`${works ? "✔" : "✖"} asked: ${asked}`);
    if (failure !== null) return output.line(describeFailure(failure));
    output.line(`  ${describeReply(tested)}`);
    output.line(`  ${latency_ms} ms, ${tokens} tokens`);
  });
  return exitCodeFor(works);
}

function describeReply({ answer, dimensions, audio_bytes }: ModelTest): string {
  if (dimensions !== null) return `gave a vector of ${dimensions} numbers`;
  return audio_bytes === null ? `said: ${answer ?? ""}` : `gave ${audio_bytes} bytes of audio`;
}

function describeFailure({ message, advice, detail }: ModelFailure): string {
  return `  ${message}: ${detail}\n  ${advice}`;
}

async function remove({ client, output }: CommandContext, agent: Named, kind: Kind): Promise<ExitCode> {
  const reply = await client().models[CALLS[kind].remove](agent);
  output.result(reply, () => output.line(`Removed the ${nameOf(kind)}. The agent goes on without it.`));
  return EXIT_CODES.ok.code;
}
