import { writeFile } from "node:fs/promises";
import type { CommandContext } from "./command.ts";

/** To `--out`, which must not exist yet, or to the terminal. */
export async function writeExport({ options, output }: CommandContext, file: Blob): Promise<void> {
  const bytes = Buffer.from(await file.arrayBuffer());
  const out = options.text("out");
  if (out === undefined) {
    // As it is, with the mark that tells a spreadsheet that it is UTF-8.
    output.line(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes).trimEnd());
    return;
  }
  await writeFile(out, bytes, { flag: "wx" });
  output.result({ file: out, bytes: file.size }, () => output.line(`Exported to ${out}.`));
}
