import { agentOf } from "../agent-of.ts";
import type { CommandContext } from "../command.ts";
import { EXIT_CODES, type ExitCode, exitCodeFor } from "../exit-codes.ts";
import { NO_SERVER } from "../server-program.ts";
import { type DryRun, described, dryRun } from "./dry-run.ts";
import { requireFiles, wholeFile } from "./files-to-import.ts";
import { readingOf } from "./reading-options.ts";
import { tellDryRun } from "./tell-dry-run.ts";
import { until, uploadInParts } from "./upload.ts";

/** Without the service: nothing is sent. */
export async function tryFiles({ options, output }: CommandContext, paths: string[]): Promise<ExitCode> {
  await requireFiles(paths);
  const files: DryRun[] = [];
  for (const path of paths) {
    const found = await dryRun(path, readingOf(options));
    if (found === undefined) {
      output.failure(NO_SERVER);
      return EXIT_CODES.notWell.code;
    }
    files.push(found);
  }
  output.result(files.length === 1 ? files[0] : { files }, () => {
    for (const found of files) tellDryRun(output, found);
  });
  return exitCodeFor(files.every(({ failure, rejected }) => failure === null && rejected === 0));
}

/** Compared with the knowledge base too; the file is uploaded for it, and deleted. */
export async function previewFile(context: CommandContext, path: string): Promise<ExitCode> {
  const { client, options, output } = context;
  await requireFiles([path]);
  const agent_id = await agentOf(client(), options.text("agent"));
  const bar = output.bar(path);
  const { upload_id } = await uploadInParts(client(), agent_id, await wholeFile(path), (sent, all) =>
    bar.show(sent, all),
  );
  bar.end();
  const { preview } = await until(
    await client().uploads.preview({ agent_id, upload_id, ...readingOf(options) }),
    () => client().uploads.get({ agent_id, upload_id }),
    (seen) => seen.preview !== null,
  );
  await client().uploads.delete({ agent_id, upload_id });
  if (preview === null) return EXIT_CODES.notWell.code;
  const { failure, rejected, existing } = preview;
  output.result(preview, () => {
    tellDryRun(output, described(path, preview));
    if (existing.same + existing.contradictions > 0)
      output.line(
        `\nIn the knowledge base: ${existing.same} already there, ${existing.contradictions} with another answer`,
      );
  });
  return exitCodeFor(failure === null && rejected === 0);
}
