const en = {
  language: "Language",
  pages: "Pages",
  pageNames: { chat: "Chat", inbox: "Inbox", console: "Console" },
  shop: "Corner shop",
};

const zhCN = {
  language: "语言",
  pages: "页面",
  pageNames: { chat: "对话", inbox: "收件箱", console: "控制台" },
  shop: "街角小店",
};

export function wordsIn(language) {
  return language === "zh-CN" ? zhCN : en;
}
