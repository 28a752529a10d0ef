import type { Words } from "../provider.tsx";
import { common, palette, problems } from "./everywhere.ts";
import { frame } from "./frame.ts";

export const zhCn: Words = { common, palette, problems, frame };
