const en = {
  language: "Language",
  pages: "Pages",
  pageNames: { chat: "Chat", inbox: "Inbox", console: "Console" },
  shop: "Corner shop",
  questions: ["When do you open?", "How much does delivery cost?", "Can I return something?"],
};

const zhCN = {
  language: "语言",
  pages: "页面",
  pageNames: { chat: "对话", inbox: "收件箱", console: "控制台" },
  shop: "街角小店",
  questions: ["你们几点开门？", "送货要多少钱？", "可以退货吗？"],
};

export function wordsIn(language) {
  return language === "zh-CN" ? zhCN : en;
}
