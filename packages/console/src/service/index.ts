export * from "./access.ts";
export * from "./use-access.ts";
export * from "./agents.ts";
export * from "./calls.ts";
export * from "./dev-mode.ts";
export { onUserTyping, useFollowedChanges, usePollMs } from "./changes.ts";
export * from "./session.ts";
export * from "./live-list.ts";
export * from "./form-problems.ts";
