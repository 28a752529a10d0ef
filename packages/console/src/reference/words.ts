import { type Language, usePreferences } from "../preferences/index.ts";

/** Kept here, not in the catalogue: only readers of the page load it. The contract's texts stay in English. */
const en = {
  title: "API reference",
  filter: "Filter operations",
  nothingFound: "No operation matches",
  // Tags are in English already.
  groups: {} as Record<string, string>,
  download: "OpenAPI document",
  console: "Console",
  authentication: "Authentication",
  schemes: {
    apiKey: "API key",
    chatToken: "Chat token",
    operator: "Operator token",
    webhookBearer: "Bearer with the webhook username",
    webhookBasic: "Basic with the webhook username and secret",
  } as Record<string, string>,
  noAuthentication: "None",
  scope: (scopes: string) => `scope ${scopes}`,
  parameters: { path: "Path", query: "Query", header: "Headers" } as Record<string, string>,
  requestBody: "Request body",
  exampleRequest: "Example request",
  exampleReply: (status: string) => `Example reply: ${status}`,
  responses: "Replies",
  required: "required",
  orNull: "or null",
  oneOf: "One of",
  showFields: "Show fields",
  yourAddress: "your webhook URL",
  failed:
    "The OpenAPI document could not be loaded. Reload the page; if it stays, check that /openapi.json answers.",
};

const zhCn: typeof en = {
  title: "API 参考",
  filter: "筛选接口",
  nothingFound: "没有匹配的接口",
  groups: {
    Knowledge: "知识库",
    Questions: "问题",
    Conversations: "会话",
    Users: "用户",
    Handoff: "转人工",
    Inbox: "收件箱",
    "Live channel": "实时通道",
    Agents: "智能体",
    Webhooks: "Webhook",
    Deliveries: "投递",
    Numbers: "数据",
    Accounts: "账号",
    Operations: "运维",
    "Calls you receive": "你接收的调用",
  },
  download: "OpenAPI 文档",
  console: "控制台",
  authentication: "认证",
  schemes: {
    apiKey: "API 密钥",
    chatToken: "聊天令牌",
    operator: "运维令牌",
    webhookBearer: "Bearer：webhook 用户名",
    webhookBasic: "Basic：webhook 用户名和密码",
  },
  noAuthentication: "无",
  scope: (scopes) => `权限 ${scopes}`,
  parameters: { path: "路径参数", query: "查询参数", header: "请求头" },
  requestBody: "请求体",
  exampleRequest: "请求示例",
  exampleReply: (status) => `应答示例：${status}`,
  responses: "应答",
  required: "必填",
  orNull: "或 null",
  oneOf: "其中之一",
  showFields: "展开字段",
  yourAddress: "你的 webhook 地址",
  failed: "无法加载 OpenAPI 文档。请刷新页面；如果仍然失败，请检查 /openapi.json 是否有应答。",
};

const LANGUAGES: Record<Language, typeof en> = { en, "zh-CN": zhCn };

export function useReferenceWords(): typeof en {
  return LANGUAGES[usePreferences().language];
}
