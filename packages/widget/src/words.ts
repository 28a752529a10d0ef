/** Every word the widget says; a language that lacks one does not compile. */
export interface Words {
  heading: string;
  open: string;
  close: string;
  unread: (count: number) => string;
  log: string;
  write: string;
  send: string;
  you: string;
  assistant: string;
  team: string;
  notice: string;
  assistantAnswers: string;
  waiting: string;
  personAnswers: string;
  askForPerson: string;
  personAsked: string;
  withPerson: string;
  endWithPerson: string;
  typing: string;
  sending: string;
  notSent: string;
  retry: string;
  reconnecting: string;
  failed: string;
  greeting: string;
}

const en: Words = {
  heading: "Chat with us",
  open: "Open chat",
  close: "Close chat",
  unread: (count) => (count === 1 ? "1 new message" : `${count} new messages`),
  log: "Conversation",
  write: "Write a message",
  send: "Send",
  you: "You",
  assistant: "Assistant",
  team: "Support team",
  notice: "Notice",
  assistantAnswers: "The assistant answers",
  waiting: "Waiting for a person",
  personAnswers: "A person answers",
  askForPerson: "Talk to a person",
  personAsked: "A person was asked",
  withPerson: "Talking to a person",
  endWithPerson: "Back to the assistant",
  typing: "Writing…",
  sending: "Sending…",
  notSent: "Not sent",
  retry: "Try again",
  reconnecting: "The connection was lost. Trying again…",
  failed: "That did not work. Please try again.",
  greeting: "How can we help?",
};

const zhCN: Words = {
  heading: "在线咨询",
  open: "打开对话",
  close: "关闭对话",
  unread: (count) => `${count} 条新消息`,
  log: "对话",
  write: "输入消息",
  send: "发送",
  you: "您",
  assistant: "智能助手",
  team: "人工客服",
  notice: "通知",
  assistantAnswers: "智能助手为您解答",
  waiting: "正在等待人工客服",
  personAnswers: "人工客服为您服务",
  askForPerson: "转人工",
  personAsked: "已请求人工客服",
  withPerson: "正在与人工客服对话",
  endWithPerson: "返回智能助手",
  typing: "正在输入…",
  sending: "发送中…",
  notSent: "未发送",
  retry: "重试",
  reconnecting: "连接已断开，正在重试…",
  failed: "操作未成功，请重试。",
  greeting: "请问有什么可以帮您？",
};

export type Language = "en" | "zh-CN";

export function languageOf(tags: readonly (string | null | undefined)[]): Language {
  const first = tags.find((tag) => tag !== undefined && tag !== null && tag !== "") ?? "en";
  return /^zh\b/i.test(first) ? "zh-CN" : "en";
}

export function wordsIn(language: Language): Words {
  return language === "zh-CN" ? zhCN : en;
}
