import type { DocumentRevision } from "@signalbox/contract";
import { agentOf } from "../agent-of.ts";
import { type CommandContext, UsageError } from "../command.ts";
import { EXIT_CODES, type ExitCode, exitCodeFor } from "../exit-codes.ts";
import { given } from "../given-fields.ts";
import type { Output } from "../output.ts";
import { type FileToImport, filesToImport, requireFiles } from "./files-to-import.ts";
import { fixFor } from "./fixes.ts";
import { type Importer, importerByKey, importerByOperator, isOver, type KnownDocument } from "./importer.ts";
import { readingOf } from "./reading-options.ts";
import { countsText } from "./tell-dry-run.ts";
import { tellProblems } from "./tell-problems.ts";
import { until } from "./upload.ts";

/** Each file becomes a document, or takes the place of one. */
export async function importFiles(context: CommandContext, paths: readonly string[]): Promise<ExitCode> {
  const { options, output } = context;
  await requireFiles(paths);
  const files = (await Promise.all(paths.map(filesToImport))).flat();
  const reading = readingOf(options);
  const named = options.text("name");
  const [only, another] = files;
  if (another !== undefined && (named ?? reading.doc_id) !== undefined)
    throw new UsageError("--name and --replace take one document");
  if (named !== undefined && only !== undefined) only.name = named;
  const importer = await chooseImporter(context);
  const places = await placesOf(context, importer, files);
  if (typeof places === "string") {
    output.failure(places);
    return EXIT_CODES.notWell.code;
  }
  const documents: DocumentRevision[] = [];
  for (const [index, file] of files.entries()) {
    const bar = output.bar(file.name);
    const doc_id = places[index];
    const begun = await importer.send(file, { ...reading, ...given({ doc_id }) }, (sent, all) =>
      bar.show(sent, all),
    );
    const ended = await until(
      begun,
      async () => {
        const seen = await importer.look(begun);
        bar.show(seen.chunks_done, seen.chunks_total);
        return seen;
      },
      isOver,
    );
    bar.end();
    documents.push(ended);
    tellImport(output, file.name, ended);
  }
  output.result({ documents }, () => {});
  return exitCodeFor(documents.every(isWell));
}

/** An operator token is used only where --agent asks for it or there is no API key. Without either, the key is missing. */
async function chooseImporter({ client, options, settings }: CommandContext): Promise<Importer> {
  const { apiKey = "", operatorToken = "" } = settings;
  const agent = options.text("agent");
  const isByKey = agent === undefined && (apiKey !== "" || operatorToken === "");
  return isByKey ? importerByKey(client()) : importerByOperator(client(), await agentOf(client(), agent));
}

/** The document that each file replaces, undefined for a new one; or why nothing is imported. */
async function placesOf(
  { options }: CommandContext,
  importer: Importer,
  files: readonly FileToImport[],
): Promise<(string | undefined)[] | string> {
  const replaced = options.text("replace");
  if (replaced !== undefined) return [replaced];
  const byName = Map.groupBy(await importer.documents(options.text("base")), ({ name }) => name);
  const isUpdate = options.isOn("update");
  const places: (string | undefined)[] = [];
  for (const { name } of files) {
    const place = placeOf(name, byName.get(name) ?? [], isUpdate);
    if (typeof place === "string") return place;
    const isTwice = place !== undefined && places.includes(place.id);
    if (isTwice && isUpdate)
      return `Two of the documents to import are named "${name}". Import one of them alone.`;
    places.push(isTwice ? undefined : place?.id);
  }
  return places;
}

/** One whose import failed holds nothing: the corrected file takes its place. */
function placeOf(
  name: string,
  found: KnownDocument[],
  isUpdate: boolean,
): KnownDocument | undefined | string {
  const [first, another] = found.filter(({ status }) => status !== "FAILED");
  if (first === undefined) return found[0];
  if (another !== undefined && isUpdate) {
    const ids = found.map(({ id }) => id).join(", ");
    return `More than one document is named "${name}": ${ids}. Choose one with --replace ID.`;
  }
  return isUpdate
    ? first
    : `"${name}" is there already, as document ${first.id}. Nothing was imported. To replace it, add --update; to keep both, choose another name with --name.`;
}

function isWell({ state, rejected }: DocumentRevision): boolean {
  return state !== "failed" && state !== "held" && rejected === 0;
}

function tellImport(output: Output, name: string, ended: DocumentRevision): void {
  const { state, doc_id, cause, detail, rejected, problems } = ended;
  if (state === "failed") {
    output.progress(`✖ ${name}: not imported. ${detail} (${cause})`);
    const fix = fixFor(cause ?? "");
    if (fix !== undefined) output.progress(`        ${fix}`);
  } else if (state === "held") tellHeld(output.progress, ended);
  else
    output.progress(
      `${isWell(ended) ? "✔" : "✖"} ${name}: ${countsText(ended, "imported")}. Document ${doc_id}`,
    );
  tellProblems(output.progress, problems);
  if (rejected > problems.length)
    output.progress("    and more. List them all with signalbox documents import FILE --dry-run");
}

export function tellHeld(tell: (text: string) => void, { doc_id, revision, detail }: DocumentRevision): void {
  tell(`Held back: ${detail}`);
  tell(`To publish it anyway: signalbox documents publish ${doc_id} --revision ${revision}`);
}
