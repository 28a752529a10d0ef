import { common, palette, problems } from "./everywhere.ts";
import { frame, join, signIn } from "./frame.ts";

/** What is needed before any screen is: fetched with the first file. */
export const en = { common, palette, problems, frame, signIn, join };
