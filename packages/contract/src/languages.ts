import { z } from "zod";

export const Language = z.enum(["en", "zh-CN"]);
export type Language = z.output<typeof Language>;
