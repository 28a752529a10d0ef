import type { ColumnRole } from "./columns.ts";
import { type Language, usePreferences } from "../../../preferences/index.ts";

const roles: Record<ColumnRole, string> = {
  question: "Question",
  answer: "Answer",
  alternates: "Other wordings",
  tags: "Tags",
  ignored: "Ignored",
};

const steps: Record<"waiting" | "working", string> = {
  waiting: "Waiting for its turn…",
  working: "Importing…",
};

/** What the service says of a row, where its own words are English. */
const causes: Readonly<Record<string, string>> = {};

const en = {
  title: "Import a file",
  button: "Import",
  choose: "Import questions from a file",
  drop: "Drop a file to import it",
  dropLead: "CSV, Excel, PDF, Word, HTML, Markdown or text",
  uploading: (name: string) => `Uploading ${name}`,
  reading: "Reading the file…",
  steps,
  sections: (count: number) => (count === 1 ? "1 section" : `${count.toLocaleString("en")} sections`),
  counts: {
    pairs: (count: number) => (count === 1 ? "1 question" : `${count.toLocaleString("en")} questions`),
    rejected: (count: number) =>
      count === 1 ? "1 row refused" : `${count.toLocaleString("en")} rows refused`,
    duplicates: (count: number) =>
      count === 1 ? "1 duplicate row" : `${count.toLocaleString("en")} duplicate rows`,
    conflicts: (count: number) =>
      count === 1
        ? "1 question with two answers"
        : `${count.toLocaleString("en")} questions with two answers`,
    warnings: (count: number) => (count === 1 ? "1 warning" : `${count.toLocaleString("en")} warnings`),
    same: (count: number) => `${count.toLocaleString("en")} already in your knowledge`,
    contradictions: (count: number) => `${count.toLocaleString("en")} with another answer in your knowledge`,
  },
  documentLead:
    "Headings and sections of the text become questions and answers. Look through them after the import.",
  cannot: "This file cannot be imported as it is",
  foundAs: "Read as",
  comma: ", ",
  delimiters: {
    ",": "separated by commas",
    ";": "separated by semicolons",
    "\t": "separated by tabs",
    "|": "separated by bars",
  } as Record<string, string>,
  firstRows: "First rows",
  firstRowsLead: "Check the header row and what each column holds. Long cells are cut.",
  headerRow: "Header row",
  headerFound: (row: number) => (row === 0 ? "Found: none" : `Found: row ${row}`),
  headerNone: "None",
  headerAt: (row: number) => `Row ${row}`,
  column: (name: string) => `Column ${name}`,
  row: "Row",
  columnHeading: "Column",
  problem: "Problem",
  roles,
  problems: "Problems",
  problemsLead: "Refused rows are left out. Rows with a warning are imported.",
  refused: "Refused",
  warning: "Warning",
  at: (line: number, column: string | undefined) =>
    column === undefined ? `Row ${line}` : `Row ${line}, column ${column}`,
  causes,
  contradictions: "Other answers in your knowledge",
  contradictionsLead: "Both answers are kept. Delete the wrong one afterwards, or replace the document.",
  inFile: "In the file",
  inKnowledge: "In your knowledge",
  firstPairs: "First questions",
  target: "Import into",
  newDocument: "A new document",
  replace: (name: string) => `Replace: ${name}`,
  targetHelp: "Replacing removes all questions of that document and puts those of the file in their place.",
  confirm: (count: number) =>
    count === 1 ? "Import 1 question" : `Import ${count.toLocaleString("en")} questions`,
  confirmDocument: "Import document",
  cancel: "Cancel",
  done: (count: number) =>
    count === 1 ? "1 question imported" : `${count.toLocaleString("en")} questions imported`,
  doneLead: "The agent answers from them now.",
  failed: "The import failed",
  download: (count: number) => `Download ${count === 1 ? "the refused row" : `${count} refused rows`} (CSV)`,
  show: "Show questions",
};

const zhCn: typeof en = {
  title: "导入文件",
  button: "导入",
  choose: "从文件导入问题",
  drop: "拖放文件即可导入",
  dropLead: "CSV、Excel、PDF、Word、HTML、Markdown 或文本",
  uploading: (name) => `正在上传 ${name}`,
  reading: "正在读取文件…",
  steps: { waiting: "排队中…", working: "正在导入…" },
  sections: (count) => `${count.toLocaleString("zh-CN")} 个段落`,
  counts: {
    pairs: (count) => `${count.toLocaleString("zh-CN")} 个问题`,
    rejected: (count) => `${count.toLocaleString("zh-CN")} 行被拒绝`,
    duplicates: (count) => `${count.toLocaleString("zh-CN")} 行重复`,
    conflicts: (count) => `${count.toLocaleString("zh-CN")} 个问题有两个答案`,
    warnings: (count) => `${count.toLocaleString("zh-CN")} 条警告`,
    same: (count) => `${count.toLocaleString("zh-CN")} 个已在知识库中`,
    contradictions: (count) => `${count.toLocaleString("zh-CN")} 个在知识库中有不同答案`,
  },
  documentLead: "文档的标题和段落会变成问题和答案。请在导入后检查。",
  cannot: "此文件目前无法导入",
  foundAs: "识别为",
  comma: "，",
  delimiters: { ",": "逗号分隔", ";": "分号分隔", "\t": "制表符分隔", "|": "竖线分隔" },
  firstRows: "前几行",
  firstRowsLead: "请检查标题行以及每一列的内容。过长的单元格已截断。",
  headerRow: "标题行",
  headerFound: (row) => (row === 0 ? "自动：无" : `自动：第 ${row} 行`),
  headerNone: "无",
  headerAt: (row) => `第 ${row} 行`,
  column: (name) => `${name} 列`,
  row: "行",
  columnHeading: "列",
  problem: "原因",
  roles: { question: "问题", answer: "答案", alternates: "其他问法", tags: "标签", ignored: "忽略" },
  problems: "有误的行",
  problemsLead: "被拒绝的行不会导入，有警告的行会导入。",
  refused: "拒绝",
  warning: "警告",
  at: (line, column) => (column === undefined ? `第 ${line} 行` : `第 ${line} 行 ${column} 列`),
  causes: {
    no_question: "缺少问题",
    no_answer: "缺少答案",
    question_too_long: "问题过长",
    answer_too_long: "答案过长",
    alternate_too_long: "其他问法过长",
    too_many_alternates: "其他问法过多",
    tag_too_long: "标签过长",
    too_many_tags: "标签过多",
    broken_quotes: "引号没有成对，可能有多行被读成了一行",
    too_many_fields: "列数多于标题行；请给含分隔符的内容加引号",
    undecodable: "含有无法识别的字符",
    conflict: "同一个问题在文件中还有另一个答案",
    ignored_column: "此列被忽略",
    sheet_ignored: "其他工作表被忽略",
    spreadsheet_error: "单元格是表格的错误值",
    placeholder: "看起来是占位内容",
    bare_fraction: "单元格是小数；若为百分比，请写成文本",
  },
  contradictions: "知识库中的不同答案",
  contradictionsLead: "两个答案都会保留。请在导入后删除错误的一个，或改为替换文档。",
  inFile: "文件中",
  inKnowledge: "知识库中",
  firstPairs: "前几个问题",
  target: "导入到",
  newDocument: "新文档",
  replace: (name) => `替换：${name}`,
  targetHelp: "替换会移除该文档的全部问题，换成文件中的问题。",
  confirm: (count) => `导入 ${count.toLocaleString("zh-CN")} 个问题`,
  confirmDocument: "导入文档",
  cancel: "取消",
  done: (count) => `已导入 ${count.toLocaleString("zh-CN")} 个问题`,
  doneLead: "智能体现在会用它们回答。",
  failed: "导入失败",
  download: (count) => `下载 ${count} 行被拒绝的内容（CSV）`,
  show: "查看问题",
};

const LANGUAGES: Record<Language, typeof en> = { en, "zh-CN": zhCn };

export function useImportWords(): typeof en {
  return LANGUAGES[usePreferences().language];
}
