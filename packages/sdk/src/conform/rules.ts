import { acceptingRules } from "./accepting-rules.ts";
import { onceRules } from "./once-rules.ts";
import type { Rule } from "./rule.ts";
import { trustRules } from "./trust-rules.ts";

export const RULES: readonly Rule[] = [...acceptingRules, ...onceRules, ...trustRules];
