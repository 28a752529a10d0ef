import { MODEL_CAUSES, MODEL_KINDS, type ModelCause, type ModelCauseText } from "@signalbox/contract";
import { type Language, usePreferences } from "../../preferences/index.ts";

/** Kept here, not in the catalogue: fetched with the screens that show models. */
const en = {
  test: "Test",
  testing: "Testing…",
  works: "The model works",
  fails: "The model does not work",
  failedAt: "The last call failed",
  asked: "Asked",
  answer: "Answer",
  vector: (dimensions: number) => `A vector of ${dimensions} numbers`,
  took: "Took",
  tokens: "Tokens",
  detail: "The server said",
  failing: "Models that fail",
  failingLead: "Their agents answer without them until a call succeeds",
  kinds: MODEL_KINDS,
  leads: {
    chat: "Phrases answers from your pairs, and turns documents into pairs. Without one, stored answers are given word for word.",
    chat_fallback: "Asked in place of the chat model when that fails. The failure is still shown.",
    embedding:
      "Makes the vectors that find pairs by meaning. Without one, the service's own encoder is used.",
  },
  causes: MODEL_CAUSES,
};

const causes: Record<ModelCause, ModelCauseText> = {
  unreachable: {
    message: "无法连接到模型服务器",
    advice: "请检查 URL 中的主机和端口，并确认服务器已启动。在容器中，localhost 指容器自身。",
  },
  forbidden_address: {
    message: "Signalbox 不允许调用该地址",
    advice: "请用 MODEL_ALLOWED_HOSTS 或 MODEL_ALLOWED_IPS 放行该地址，并写明端口。",
  },
  no_api: {
    message: "该 URL 上没有兼容 OpenAI 的 API",
    advice: "请填写服务商文档中的基础 URL，通常以 /v1 结尾。",
  },
  unauthorised: {
    message: "模型服务器拒绝了 API 密钥",
    advice: "请填写该服务商的有效密钥，并确认它有权使用该模型。",
  },
  unknown_model: {
    message: "服务器上没有该名称的模型",
    advice: "请按服务器列出的名称填写：Ollama 需带标签，Azure OpenAI 填部署名称。",
  },
  no_credit: {
    message: "模型服务商的账户余额不足",
    advice: "请在服务商处充值，或提高账户额度。",
  },
  rate_limited: {
    message: "已达到模型的速率限制",
    advice: "请在服务商处提高限制。在此之前智能体不使用该模型回答。",
  },
  over_quota: {
    message: "该智能体今天的令牌已用完",
    advice: "请提高 AGENT_MODEL_TOKENS_PER_DAY，或等到 UTC 零点。",
  },
  bad_request: {
    message: "模型服务器拒绝了请求",
    advice: "请查看服务器的说明。对话模型须支持 chat completions，向量模型须支持 embeddings。",
  },
  unavailable: {
    message: "模型服务器出错",
    advice: "请查看服务商的状态页，或你自己服务器的日志。",
  },
  timeout: {
    message: "模型未及时回复",
    advice: "请使用更快的模型，或提高超时。一次回答最多等待 25 秒。",
  },
  malformed_reply: {
    message: "回复不是兼容 OpenAI 的 API 的格式",
    advice: "请检查 URL，并确认模型类型正确：对话、向量或语音。",
  },
  refused: { message: "模型拒绝回复", advice: "请检查服务商的内容过滤。" },
};

const zhCn: typeof en = {
  test: "测试",
  testing: "正在测试…",
  works: "模型可用",
  fails: "模型不可用",
  failedAt: "最近一次调用失败",
  asked: "提问",
  answer: "回复",
  vector: (dimensions) => `${dimensions} 维向量`,
  took: "用时",
  tokens: "令牌",
  detail: "服务器的说明",
  failing: "失败的模型",
  failingLead: "在调用成功之前，相关智能体不使用它们回答",
  kinds: { chat: "对话模型", chat_fallback: "备用模型", embedding: "向量模型", speech: "语音模型" },
  leads: {
    chat: "根据问答对组织回答，并把文档转换为问答对。未配置时原样给出已存答案。",
    chat_fallback: "对话模型失败时由它代替回答，失败仍会显示。",
    embedding: "生成按语义检索所用的向量。未配置时使用服务自带的编码器。",
  },
  causes,
};

const LANGUAGES: Record<Language, typeof en> = { en, "zh-CN": zhCn };

export function useModelWords(): typeof en {
  return LANGUAGES[usePreferences().language];
}
