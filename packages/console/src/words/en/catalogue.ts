import { common, palette, problems } from "./everywhere.ts";
import { frame } from "./frame.ts";

/** What is needed before any screen is: fetched with the first file. */
export const en = { common, palette, problems, frame };
