/**
 * What became of work that failed. `never_sent`: no connection was taken, and the next try would fail the same way. `undone`:
 * nothing of it stands, for certain. `unknown`: the connection broke when it may have been committed already.
 */
export type WorkOutcome = "never_sent" | "undone" | "unknown";

const undone = new WeakSet<Error>();

/** For the error of a transaction whose COMMIT was not sent. */
export function noteUndone(error: unknown): unknown {
  if (error instanceof Error && !isUnreachable(error)) undone.add(error);
  return error;
}

/** There was no connection to be had, whatever it was for. */
const UNREACHABLE_CODES = new Set([
  "ECONNREFUSED",
  "ENOENT",
  // The name server does not know it, or not now: a container's name goes with the container.
  "ENOTFOUND",
  "EAI_AGAIN",
  // Starting up or shutting down.
  "57P03",
]);

function isUnreachable(error: Error): boolean {
  if (error instanceof AggregateError)
    return error.errors.some((one) => one instanceof Error && isUnreachable(one));
  if ("code" in error && typeof error.code === "string") return UNREACHABLE_CODES.has(error.code);
  return error.message.startsWith("timeout exceeded when trying to connect");
}

/** PostgreSQL ends the connection with these, at any moment of a statement or a commit. */
const CONNECTION_ENDED = /^(08...|57P0[1-5]|40003)$/;
const SQLSTATE = /^[0-9A-Z]{5}$/;
const UNIQUE_VIOLATION = "23505";

export function outcomeOf(error: unknown): WorkOutcome {
  if (!(error instanceof Error)) return "unknown";
  if (isUnreachable(error)) return "never_sent";
  if (undone.has(error)) return "undone";
  // pg had noticed before that its connection is gone, and sent nothing.
  if (error.message.endsWith("is not queryable")) return "undone";
  return isAnswerOf(error) ? "undone" : "unknown";
}

/** PostgreSQL answered that it did not do it, and goes on. */
function isAnswerOf(error: Error): boolean {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  if (typeof code !== "string" || !SQLSTATE.test(code) || CONNECTION_ENDED.test(code)) return false;
  return severity !== "FATAL" && severity !== "PANIC";
}

/** It is there already: written by somebody else, or by an earlier try whose answer was lost. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === UNIQUE_VIOLATION;
}
