import type { ScreenWords } from "../provider.tsx";

export const start: ScreenWords["start"] = {
  title: "开始",
  leadAgent: (name) => `“${name}”已完成的设置和下一步，完成后自动打勾。`,
  leadNone: "从零到第一条送达的消息，完成后自动打勾。",
  progress: (done, total) => `已完成 ${done}/${total}`,
  done: "已完成",
  next: "下一步",
  allDone: "全部设置完成",
  steps: {
    agent: {
      title: "创建智能体",
      lead: "智能体负责回答用户。它的密钥、知识和 Webhook 只属于它自己。",
      action: "新建智能体",
    },
    key: { title: "创建 API 密钥", lead: "您的后端用它发送用户消息。密钥只显示一次。", action: "创建密钥" },
    webhook: {
      title: "设置消息 Webhook",
      lead: "Signalbox 将智能体的回答签名后按顺序投递到这里。",
      action: "设置 Webhook",
    },
    delivery: {
      title: "收到第一条消息",
      lead: "以 webhook 模式发送一条消息，回答会送到您的 Webhook，并显示在右侧。",
      action: "查看投递",
    },
    desk: {
      title: "接入人工服务",
      lead: "用户请求人工时转接到这里：您的客服系统，或 Signalbox 自带的工作台。",
      action: "添加人工服务",
    },
    handoff: {
      title: "完成一次转人工",
      lead: "在会话中请求人工，由人工回复并结束，随后智能体继续服务。",
      action: "了解转人工",
    },
  },
  liveTitle: "实时",
  liveLead: "最新的投递，实时显示",
  liveEmpty: "还没有内容，第一条投递会自动出现。",
  listenTitle: "在本机接收 Webhook",
  listenLead: "无需公网地址：命令行工具会把每条投递转发到您的本地服务。",
  addresses: "地址",
  apiBase: "API 基础地址",
  healthProbe: "健康探测",
  newAgent: {
    title: "新建智能体",
    lead: "以后都可以修改。",
    name: "名称",
    namePlaceholder: "网店客服",
    language: "语言",
    languageHelp: "用于它自己的话：问候、通知以及不知道答案时的回复。它能理解两种语言的用户。",
    submit: "创建智能体",
    created: (name) => `已创建“${name}”`,
  },
  languages: { en: "英语", "zh-CN": "简体中文" },
};
