import { common, palette, problems } from "./everywhere.ts";
import { frame } from "./frame.ts";

/** Texts that are needed before any screen: loaded with the first file. */
export const en = { common, palette, problems, frame };
