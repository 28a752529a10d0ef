import type { SavedQuestionRun } from "@signalbox/contract";
import { type Language, usePreferences } from "../../../preferences/index.ts";

const triggers: Record<SavedQuestionRun["trigger"], string> = {
  manual: "Run by hand",
  import: "After an import",
  restore: "After a restore",
};

const counted = (count: number, one: string, many: string) =>
  count === 1 ? `1 ${one}` : `${count.toLocaleString("en")} ${many}`;

const en = {
  title: "Saved questions",
  lead: "Questions with the answer they should get. They are asked again after every import.",
  columns: {
    question: "Question",
    expected: "Should be answered by",
    result: "Last result",
    got: "Closest now",
  },
  noAnswer: "Should not be answered",
  results: { passed: "Passed", failed: "Failed", none: "Not asked yet" },
  changes: { better: "Better", worse: "Worse" },
  run: "Run now",
  running: "Running…",
  ran: (passed: number, total: number) => `${passed} of ${total} passed`,
  noRun: "Not run yet",
  better: (count: number) => `${count} better`,
  worse: (count: number) => `${count} worse`,
  runs: "Runs",
  runsLead: "The last 20 runs are kept.",
  triggers,
  held: "Held back",
  runFailed: "The run failed",
  hold: "Hold imports that make a question fail",
  holdHelp: "The agent keeps answering from the old content until somebody publishes the import.",
  holdOn: "Imports are held if they make a question fail",
  holdOff: "Imports are published at once",
  delete: "Delete",
  deleteThis: (question: string) => `Delete: ${question}`,
  deleted: "Saved question deleted",
  none: "No saved questions yet",
  noneLead: "Open Try it on the Knowledge screen, ask as a user would, and save the question.",
  tryIt: "Open Knowledge",
  save: "Save this question",
  saveLead: "Should be answered by",
  saved: "Question saved. It is asked again after every import.",
  show: "Show saved questions",
  heldTitle: "This import is held back",
  heldLead: (worse: number) =>
    `${counted(worse, "saved question passes", "saved questions pass")} now and would fail. The agent keeps answering from the old content. Correct the file and import it again, or publish it anyway.`,
  wouldFail: "Would fail",
  expected: "Should be answered by",
  instead: "Closest then",
  publish: "Publish anyway",
  publishThis: (revision: number) => `Publish anyway: revision ${revision}`,
  publishTitle: "Publish this import?",
  publishLead: "The agent answers from it at once. You can restore the content before it.",
  published: "Published. The agent answers from it now.",
  nothingClose: "Nothing",
};

const zhCn: typeof en = {
  title: "已保存的问题",
  lead: "带有预期答案的问题，每次导入后都会重新提问。",
  columns: { question: "问题", expected: "应由此回答", result: "最近结果", got: "当前最接近" },
  noAnswer: "不应回答",
  results: { passed: "通过", failed: "未通过", none: "尚未提问" },
  changes: { better: "变好", worse: "变差" },
  run: "立即运行",
  running: "正在运行…",
  ran: (passed, total) => `${total} 个中 ${passed} 个通过`,
  noRun: "尚未运行",
  better: (count) => `${count} 个变好`,
  worse: (count) => `${count} 个变差`,
  runs: "运行记录",
  runsLead: "保留最近 20 次运行。",
  triggers: { manual: "手动运行", import: "导入后", restore: "恢复后" },
  held: "已暂缓",
  runFailed: "运行失败",
  hold: "暂缓会让问题不通过的导入",
  holdHelp: "在有人发布该导入之前，智能体继续按旧内容回答。",
  holdOn: "会让问题不通过的导入将被暂缓",
  holdOff: "导入会立即发布",
  delete: "删除",
  deleteThis: (question) => `删除：${question}`,
  deleted: "已删除保存的问题",
  none: "还没有保存的问题",
  noneLead: "在知识库页面打开“试一试”，像用户一样提问，然后保存问题。",
  tryIt: "打开知识库",
  save: "保存这个问题",
  saveLead: "应由此回答",
  saved: "已保存。每次导入后都会重新提问。",
  show: "查看已保存的问题",
  heldTitle: "此导入已暂缓",
  heldLead: (worse) =>
    `${worse} 个现在通过的已保存问题将不再通过。智能体继续按旧内容回答。请修正文件后重新导入，或仍然发布。`,
  wouldFail: "将不通过",
  expected: "应由此回答",
  instead: "届时最接近",
  publish: "仍然发布",
  publishThis: (revision) => `仍然发布第 ${revision} 版`,
  publishTitle: "发布此导入？",
  publishLead: "智能体会立即按此回答。之后可以恢复之前的内容。",
  published: "已发布，智能体现在按此回答。",
  nothingClose: "无",
};

const LANGUAGES: Record<Language, typeof en> = { en, "zh-CN": zhCn };

export function useSavedWords(): typeof en {
  return LANGUAGES[usePreferences().language];
}
