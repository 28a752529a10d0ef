import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { serveModel, type ModelReply, type ModelRequest } from "@signalbox/tests/support/model-server.ts";
import { openChatModel, openEmbeddingModel, type ChatAsk } from "./model.ts";
import { unmetered } from "./model-quota.ts";
import { openOutbound } from "./outbound-http.ts";

const { server, outbound } = await serveModel(openOutbound);

/** How a provider differs from OpenAI's API by its own documents, as far as the service can notice. */
interface Provider {
  /** What it refuses of a request; undefined where it takes it. */
  refuses: (body: ModelRequest["body"]) => ModelReply | undefined;
  /** What a wrong key and an unknown model look like. */
  wrongKey: ModelReply;
  unknownModel: ModelReply;
}

const openAiError = (status: number, message: string, more: Record<string, unknown> = {}): ModelReply => ({
  status,
  error: { message, type: "invalid_request_error", param: null, code: null, ...more },
});
const has = (body: ModelRequest["body"], field: string) => body[field] !== undefined;

const OPENAI: Provider = {
  refuses(body) {
    if (has(body, "max_tokens"))
      return openAiError(400, "Unsupported parameter: 'max_tokens' is not supported with this model.", {
        param: "max_tokens",
        code: "unsupported_parameter",
      });
    if (has(body, "temperature"))
      return openAiError(400, "Unsupported value: 'temperature' does not support 0 with this model.", {
        param: "temperature",
        code: "unsupported_value",
      });
    return undefined;
  },
  wrongKey: openAiError(401, "Incorrect API key provided", { code: "invalid_api_key" }),
  unknownModel: openAiError(404, "The model `some` does not exist", { code: "model_not_found" }),
};

const PROVIDERS: Record<string, Provider> = {
  OpenAI: OPENAI,
  "Azure OpenAI": {
    ...OPENAI,
    wrongKey: {
      status: 401,
      error: { code: "401", message: "Access denied due to invalid subscription key" },
    },
    unknownModel: {
      status: 404,
      error: { code: "DeploymentNotFound", message: "The API deployment for this resource does not exist." },
    },
  },
  Anthropic: {
    // It ignores a response format.
    refuses: (body) =>
      has(body, "temperature")
        ? openAiError(400, "`temperature` is deprecated for this model.", { param: undefined })
        : undefined,
    wrongKey: {
      status: 401,
      body: { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } },
    },
    unknownModel: {
      status: 404,
      body: { type: "error", error: { type: "not_found_error", message: "model: some" } },
    },
  },
  Gemini: {
    refuses: () => undefined,
    wrongKey: {
      status: 400,
      body: [
        {
          error: {
            code: 400,
            message: "API key not valid. Please pass a valid API key.",
            status: "INVALID_ARGUMENT",
          },
        },
      ],
    },
    unknownModel: {
      status: 404,
      body: [
        {
          error: {
            code: 404,
            message: "models/some is not found for API version v1main",
            status: "NOT_FOUND",
          },
        },
      ],
    },
  },
  Ollama: {
    refuses: (body) =>
      has(body, "tools")
        ? {
            status: 400,
            error: {
              message: "registry.ollama.ai/library/some:latest does not support tools",
              type: "api_error",
              param: null,
            },
          }
        : undefined,
    wrongKey: openAiError(401, "unauthorized"),
    unknownModel: openAiError(404, 'model "some" not found, try pulling it first'),
  },
  vLLM: {
    refuses: (body) =>
      has(body, "tools")
        ? {
            status: 400,
            body: {
              object: "error",
              message:
                '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
              type: "BadRequestError",
              param: null,
              code: 400,
            },
          }
        : undefined,
    wrongKey: { status: 401, body: { error: "Unauthorized" } },
    unknownModel: {
      status: 404,
      body: {
        object: "error",
        message: "The model `some` does not exist.",
        type: "NotFoundError",
        param: null,
        code: 404,
      },
    },
  },
  "LM Studio": {
    refuses: (body) =>
      body.response_format?.type === "json_object"
        ? { status: 400, body: { error: "'response_format.type' must be 'json_schema' or 'text'" } }
        : undefined,
    wrongKey: { status: 401, body: { error: "Unauthorized" } },
    unknownModel: openAiError(404, "Model 'some' not found", { code: "model_not_found" }),
  },
  DeepSeek: {
    refuses: (body) =>
      body.response_format?.type === "json_schema"
        ? openAiError(400, "This response_format type is unavailable now")
        : undefined,
    wrongKey: openAiError(401, "Authentication Fails, Your api key is invalid"),
    unknownModel: openAiError(400, "Model Not Exist", { param: "model" }),
  },
  Qwen: {
    refuses: (body) =>
      body.response_format?.type === "json_schema"
        ? openAiError(400, "response_format.type json_schema is not supported by this model")
        : undefined,
    wrongKey: openAiError(401, "Incorrect API key provided.", { code: "invalid_api_key" }),
    unknownModel: openAiError(404, "The model `some` does not exist or you do not have access to it.", {
      code: "model_not_found",
    }),
  },
};

const messages = [{ role: "user" as const, content: "When do you open?" }];
const SCHEMA = { type: "object", properties: {}, required: [], additionalProperties: false };
const TOOL = { name: "ask_for_a_person", description: "Hands the conversation to a person." };

/** What the service asks of a chat model: an answer whole and streamed, and the pairs of a document. */
const ASKS: Record<string, () => ChatAsk> = {
  "an answer": () => ({ messages, maxTokens: 800, tool: TOOL }),
  "a streamed answer": () => ({ messages, maxTokens: 800, tool: TOOL, onText: () => undefined }),
  "pairs of a document": () => ({ messages, maxTokens: 800, jsonSchema: SCHEMA }),
};

describe("recipes of model providers", () => {
  for (const [name, { refuses, wrongKey, unknownModel }] of Object.entries(PROVIDERS))
    it(`${name} answers whole and streamed and converts documents, by one call each once it is known`, async () => {
      const calls = unmetered();
      const address = { url: server.url, key: "sk-test", model: "some", timeoutMs: 5_000 };
      const open = () => openChatModel(outbound, address, calls);
      server.answer(({ body }) => refuses(body) ?? { say: "At nine." });
      for (const [what, ask] of Object.entries(ASKS)) {
        const said = await open().say(ask());
        assert.equal(said.kind, "said", `${what}: ${JSON.stringify(said)}`);
      }
      server.requests.length = 0;
      for (const ask of Object.values(ASKS)) await open().say(ask());
      assert.equal(server.requests.length, Object.keys(ASKS).length, "nothing is refused twice");
      for (const [reply, cause] of [
        [wrongKey, "unauthorised"],
        [unknownModel, "unknown_model"],
      ] as const) {
        server.answer(() => reply);
        const failed = await open().say({ messages });
        assert.equal(failed.kind === "failed" && failed.cause, cause);
      }
    });

  it("Qwen makes vectors of ten texts at once, and is given no more once that is known", async () => {
    const calls = unmetered();
    const address = { url: server.url, key: "sk-test", model: "text-embedding-v4", timeoutMs: 5_000 };
    const texts = Array.from({ length: 64 }, (_, at) => `text ${at}`);
    const tooMany: ModelReply = openAiError(400, "batch size is invalid, it should not be larger than 10.");
    const sizes = () => server.requests.map(({ body }) => body.input?.length ?? 0);
    server.embedWith((given) => given.map((text) => [Number(text.slice(5)), 1]));
    server.next(tooMany, tooMany, tooMany);
    const embedded = await openEmbeddingModel(outbound, address, calls).embed(texts);
    assert.ok(embedded.kind === "embedded");
    assert.deepEqual(
      embedded.vectors.map(([at]) => at),
      texts.map((_, at) => at),
    );
    assert.deepEqual(sizes(), [64, 32, 16, 8, 8, 8, 8, 8, 8, 8, 8]);
    server.requests.length = 0;
    await openEmbeddingModel(outbound, address, calls).embed(texts.slice(0, 20));
    assert.deepEqual(sizes(), [8, 8, 4]);
  });
});
