import { pino } from "pino";

export type Log = pino.Logger;

/** Fields that could carry a secret are never logged by us; the list is the second net. */
const REDACTED = [
  "authorization",
  "api_key",
  "apiKey",
  "secret",
  "username",
  "password",
  "token",
  "signing_secret",
  "headers",
  "body",
].flatMap((field) => [field, `*.${field}`]);

export function createLog(level: string, bindings: Record<string, string>): Log {
  return pino({
    level,
    base: bindings,
    redact: { paths: REDACTED, censor: "[redacted]" },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError },
  });
}

/** Class, code, message and stack: never the error's other fields, which may hold a query's parameters or a request. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  return {
    type: error.constructor.name,
    message: error.message,
    code: "code" in error ? error.code : undefined,
    stack: error.stack,
  };
}
