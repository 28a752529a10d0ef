import type { FileProblem } from "@signalbox/server/qa-files";
import { type CommandContext, UsageError, wholeNumber } from "../command.ts";
import { EXIT_CODES, type ExitCode, exitCodeFor } from "../exit-codes.ts";
import { describeFailure, type ToldFailure } from "../failures.ts";
import { findServerProgram, NO_SERVER } from "../server-program.ts";
import { fixFor } from "./fixes.ts";
import { documentsOf } from "./list-documents.ts";
import { type FileReading, readPairs, requireFile } from "./read-file.ts";
import { storePairs } from "./store-pairs.ts";
import { type ImportedFile, type Problem, tellFile } from "./tell-file.ts";

export async function importFiles(context: CommandContext, paths: readonly string[]): Promise<ExitCode> {
  const { options, output } = context;
  const isDryRun = options.isOn("dry-run");
  const name = options.text("name");
  if (name !== undefined && paths.length > 1) throw new UsageError("--name only works with one file");
  const reading = readingOptions(context);
  for (const path of paths) await requireFile(path);
  if (findServerProgram() === undefined) {
    output.failure(NO_SERVER);
    return EXIT_CODES.notWell.code;
  }

  const store = createStore(context);
  const files: ImportedFile[] = [];
  let ended: ExitCode | undefined;
  for (const path of paths) {
    const bar = output.bar(path);
    const read = await readPairs(path, { ...reading, onPairs: (count) => bar.show(count) });
    const [only, another] = read.documents;
    if (name !== undefined && only !== undefined && another === undefined) only.name = name;
    const file = describe(path, read);
    if (!isDryRun && file.failure === null)
      ended = await store(file, read, (done) => bar.show(done, file.pairs));
    bar.end();
    files.push(file);
    tellFile(file, output, isDryRun);
    if (ended !== undefined) break;
  }
  output.result({ dry_run: isDryRun, files }, () => {
    const left = paths.slice(files.length);
    if (left.length > 0) output.note(`Not started: ${left.join(", ")}`);
  });
  return ended ?? exitCodeFor(files.every(({ failure, rejected }) => failure === null && rejected === 0));
}

function readingOptions({ options }: CommandContext) {
  const headerRow = wholeNumber(options.text("header-rows"), "--header-rows");
  if (headerRow !== undefined && headerRow > 5) throw new UsageError("--header-rows must be from 0 to 5");
  return { headerRow, splitter: options.text("delimiter") };
}

function describe(file: string, read: FileReading): ImportedFile {
  const { counts, documents, problems, failure, encoding = null, delimiter = null } = read;
  return {
    file,
    ...counts,
    encoding,
    delimiter,
    documents: documents.map(({ name, pairs }) => ({ name, pairs: pairs.length, doc_id: null, stored: 0 })),
    problems: problems.map(withFix),
    failure:
      failure === undefined
        ? null
        : withFix({
            cause: failure.cause,
            detail: failure.detail,
            ...(failure.line !== undefined && { line: failure.line }),
          }),
  };
}

function withFix(problem: FileProblem): Problem {
  return { ...problem, fix: fixFor(problem.cause) };
}

/** Of a call that failed, by what it is told as. */
const CAUSES: Record<ToldFailure["exitCode"], string> = { 1: "refused", 3: "unanswered", 4: "not_allowed" };

type StoreFile = (
  file: ImportedFile,
  read: FileReading,
  onStored: (pairs: number) => void,
) => Promise<ExitCode | undefined>;

/** Stores what a file holds and notes in it what became of that; an exit code where no further file can be stored either. */
function createStore({ client, options }: CommandContext): StoreFile {
  const knowledge_base_id = options.text("base");
  let idsByName: Map<string, string[]> | undefined;
  return async (file, { documents }, onStored) => {
    try {
      idsByName ??= await readNames();
      let before = 0;
      for (const [index, { name, pairs }] of documents.entries()) {
        const told = file.documents[index]!;
        const replaces = idsByName.get(name) ?? [];
        if (replaces.length > 0 && !options.isOn("replace")) {
          const detail = `"${name}" already exists as ${replaces.join(", ")}`;
          file.failure = withFix({ cause: "name_taken", detail });
          continue;
        }
        await storePairs(client(), { name, knowledge_base_id, pairs, replaces }, (stored) => {
          Object.assign(told, stored);
          onStored(before + stored.stored);
        });
        before += pairs.length;
        idsByName.set(name, [told.doc_id ?? ""]);
      }
      return undefined;
    } catch (error) {
      const failure = describeFailure(error);
      if (failure === undefined) throw error;
      const { text: detail, exitCode } = failure;
      file.failure = withFix({ cause: CAUSES[exitCode], detail });
      return exitCode === EXIT_CODES.notWell.code ? undefined : exitCode;
    }
  };

  async function readNames(): Promise<Map<string, string[]>> {
    const names = new Map<string, string[]>();
    for (const { id, name } of await documentsOf(client(), knowledge_base_id))
      names.set(name, [...(names.get(name) ?? []), id]);
    return names;
  }
}
