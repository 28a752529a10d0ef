import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { UploadPreview } from "@signalbox/contract";
import { INTAKE_LIMITS } from "../intake/limits.ts";
import { readPreview, type AskedReading } from "./read-preview.ts";

const PAIRS_SHOWN = 3;

/** What an import would make of a file on this machine. Nothing here loads the database or the network. */
export async function dryRun(path: string, asked: AskedReading): Promise<UploadPreview> {
  const { size: sizeBytes } = await stat(path);
  const file = { path, fileName: basename(path), sizeBytes, contentType: undefined };
  const limits = { ...INTAKE_LIMITS, problemsMax: INTAKE_LIMITS.pairsMax };
  const { preview, pairs } = await readPreview(file, asked, limits);
  const first_pairs = pairs.slice(0, PAIRS_SHOWN).map(({ question, answer }) => ({ question, answer }));
  return { ...preview, first_pairs };
}
