import { BYTE_ORDER_MARK, csvField, type Figures, type InputOf } from "@signalbox/contract";
import { FileReply, Refusal, type Database } from "../platform/index.ts";
import { getNumbers } from "./read-numbers.ts";

/** One line for each hour or day, with every figure in a column of its own. */
export async function exportNumbers(
  parts: { db: Database },
  query: InputOf<"exportNumbers">,
): Promise<FileReply | Refusal> {
  const numbers = await getNumbers(parts, query);
  if (numbers instanceof Refusal) return numbers;
  const lines = numbers.series.map(({ time, ...figures }) => ({
    time: new Date(time).toISOString(),
    ...columnsOf(figures),
  }));
  const headings = ["time", ...Object.keys(columnsOf(numbers.totals))];
  const rows = [headings, ...lines.map((line) => Object.values(line))];
  const text = `${BYTE_ORDER_MARK}${rows.map((cells) => `${cells.map(csvField).join(",")}\r\n`).join("")}`;
  return new FileReply({
    contentType: "text/csv; charset=utf-8",
    fileName: `numbers-${new Date(query.from_time).toISOString().slice(0, 10)}.csv`,
    chunks: async function* () {
      yield text;
    },
  });
}

/** Figures within figures are named by their path: answers_direct, waiting_average_ms. */
function columnsOf(figures: Figures): Record<string, string> {
  const columns: Record<string, string> = {};
  for (const [name, value] of Object.entries(figures)) {
    if (typeof value !== "object" || value === null) columns[name] = String(value ?? "");
    else
      for (const [part, number] of Object.entries(value)) columns[`${name}_${part}`] = String(number ?? "");
  }
  return columns;
}
