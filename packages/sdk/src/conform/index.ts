export { conform } from "./conform.ts";
export type { ConformOptions } from "./probing.ts";
export type { ConformReport, RuleResult, RuleState } from "./report.ts";
