export type { Argument, Command, Option } from "./command.ts";
export { COMMANDS } from "./commands.ts";
export { EXIT_CODES } from "./exit-codes.ts";
export { optionText, summaryOf, usageOf } from "./help.ts";
export { GLOBAL_OPTIONS } from "./reading.ts";
