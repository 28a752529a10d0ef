import type { ModelCause, ModelKind } from "./model-failures.ts";

export const MODEL_KINDS: Readonly<Record<ModelKind, string>> = {
  chat: "Chat model",
  chat_fallback: "Fallback model",
  embedding: "Embedding model",
  speech: "Speech model",
};

export interface ModelCauseText {
  message: string;
  advice: string;
}

/** What happened, and what to do about it. No schema needs these texts, so that the console fetches them with its screens. */
export const MODEL_CAUSES: Readonly<Record<ModelCause, ModelCauseText>> = {
  unreachable: {
    message: "The model's server cannot be reached",
    advice:
      "Check the host and port of the URL, and that the server runs. In a container, localhost is the container itself.",
  },
  forbidden_address: {
    message: "Signalbox is not allowed to call this address",
    advice: "Allow it with MODEL_ALLOWED_HOSTS or MODEL_ALLOWED_IPS, including its port.",
  },
  no_api: {
    message: "There is no OpenAI-compatible API at this URL",
    advice: "Enter the base URL that the provider documents. It usually ends in /v1.",
  },
  unauthorised: {
    message: "The model's server refuses the API key",
    advice: "Enter a valid key of this provider that may use the model.",
  },
  unknown_model: {
    message: "The server has no model of this name",
    advice: "Enter the name as the server lists it: Ollama with its tag, Azure OpenAI the deployment's name.",
  },
  no_credit: {
    message: "The account at the model's provider has no credit left",
    advice: "Add credit at the provider, or raise the limit of the account.",
  },
  rate_limited: {
    message: "The rate limit of the model is reached",
    advice: "Raise the limit at the provider. Until then the agent answers without this model.",
  },
  over_quota: {
    message: "The agent has used its tokens of today",
    advice: "Raise AGENT_MODEL_TOKENS_PER_DAY, or wait until midnight UTC.",
  },
  bad_request: {
    message: "The model's server refuses the request",
    advice: "Read what the server said. A chat model needs chat completions, an embedding model embeddings.",
  },
  unavailable: {
    message: "The model's server failed",
    advice: "Look at the provider's status page, or at the log of your own server.",
  },
  timeout: {
    message: "The model did not reply in time",
    advice: "Use a faster model, or raise timeout_seconds. An answer waits 25 seconds at most.",
  },
  malformed_reply: {
    message: "The reply is not that of an OpenAI-compatible API",
    advice: "Check the URL, and that the model is of the right kind: chat, embedding or speech.",
  },
  refused: {
    message: "The model refused to reply",
    advice: "Look at the content filter of the provider.",
  },
};
