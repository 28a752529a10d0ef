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
  assistantAnswers: "Assistant",
  waiting: "Waiting for our team",
  personAnswers: "Live with our team",
  askForPerson: "Talk to a person",
  personAsked: "Connecting you…",
  withPerson: "Talking to our team",
  endWithPerson: "Back to the assistant",
  typing: "Typing…",
  sending: "Sending…",
  notSent: "Not sent",
  retry: "Try again",
  reconnecting: "Connection lost. Reconnecting…",
  failed: "Something went wrong. Please try again.",
  greeting: "Hi! How can we help?",
};

const zhCN: Words = {
  heading: "在线咨询",
  open: "打开聊天窗口",
  close: "关闭聊天窗口",
  unread: (count) => `${count} 条新消息`,
  log: "聊天记录",
  write: "请输入消息",
  send: "发送",
  you: "您",
  assistant: "智能助手",
  team: "人工客服",
  notice: "系统消息",
  assistantAnswers: "智能助手",
  waiting: "正在等待人工客服",
  personAnswers: "人工客服在线",
  askForPerson: "转人工",
  personAsked: "正在转接…",
  withPerson: "人工服务中",
  endWithPerson: "返回智能助手",
  typing: "正在输入…",
  sending: "发送中…",
  notSent: "发送失败",
  retry: "重试",
  reconnecting: "连接已断开，正在重新连接…",
  failed: "操作失败，请重试。",
  greeting: "您好！请问有什么可以帮您？",
};

export type Language = "en" | "zh-CN";

export function languageOf(tags: readonly (string | null | undefined)[]): Language {
  const first = tags.find((tag) => tag !== undefined && tag !== null && tag !== "") ?? "en";
  return /^zh\b/i.test(first) ? "zh-CN" : "en";
}

export function wordsIn(language: Language): Words {
  return language === "zh-CN" ? zhCN : en;
}
