/** Every word the widget says; a language that lacks one does not compile. A page may replace each. */
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
  endWithPerson: string;
  typing: string;
  isTyping: (name: string) => string;
  sending: string;
  seen: string;
  notSent: string;
  retry: string;
  reconnecting: string;
  failed: string;
  greeting: string;
  today: string;
  yesterday: string;
  menu: string;
  newChat: string;
  earlierChats: string;
  noChats: string;
  back: string;
  sound: string;
  emoji: string;
  attach: string;
  uploading: string;
  notUploaded: string;
  rateAnswer: string;
  rateChat: string;
  good: string;
  bad: string;
  comment: string;
  sendComment: string;
  thanks: string;
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
  waiting: "Connecting you…",
  personAnswers: "Live with our team",
  askForPerson: "Talk to a person",
  endWithPerson: "Back to the assistant",
  typing: "Typing…",
  isTyping: (name) => `${name} is typing…`,
  sending: "Sending…",
  seen: "Seen",
  notSent: "Not sent",
  retry: "Try again",
  reconnecting: "Connection lost. Reconnecting…",
  failed: "Something went wrong. Please try again.",
  greeting: "Hi! How can we help?",
  today: "Today",
  yesterday: "Yesterday",
  menu: "More",
  newChat: "New chat",
  earlierChats: "Earlier chats",
  noChats: "No earlier chats",
  back: "Back",
  sound: "Sound",
  emoji: "Emoji",
  attach: "Attach a file",
  uploading: "Uploading…",
  notUploaded: "The file could not be uploaded. Please try again.",
  rateAnswer: "Was this helpful?",
  rateChat: "How was your chat with our team?",
  good: "Good",
  bad: "Bad",
  comment: "Tell us more (optional)",
  sendComment: "Done",
  thanks: "Thanks for your feedback!",
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
  waiting: "正在转接…",
  personAnswers: "人工客服在线",
  askForPerson: "转人工",
  endWithPerson: "返回智能助手",
  typing: "正在输入…",
  isTyping: (name) => `${name} 正在输入…`,
  sending: "发送中…",
  seen: "已读",
  notSent: "发送失败",
  retry: "重试",
  reconnecting: "连接已断开，正在重新连接…",
  failed: "操作失败，请重试。",
  greeting: "您好！请问有什么可以帮您？",
  today: "今天",
  yesterday: "昨天",
  menu: "更多",
  newChat: "新会话",
  earlierChats: "历史会话",
  noChats: "暂无历史会话",
  back: "返回",
  sound: "提示音",
  emoji: "表情",
  attach: "添加附件",
  uploading: "正在上传…",
  notUploaded: "文件上传失败，请重试。",
  rateAnswer: "这个回答有帮助吗？",
  rateChat: "您对本次人工服务满意吗？",
  good: "满意",
  bad: "不满意",
  comment: "说说原因（选填）",
  sendComment: "完成",
  thanks: "感谢您的反馈！",
};

export type Language = "en" | "zh-CN";

export function languageOf(tag: string): Language {
  return /^zh\b/i.test(tag) ? "zh-CN" : "en";
}

export function wordsIn(language: Language): Words {
  return language === "zh-CN" ? zhCN : en;
}
