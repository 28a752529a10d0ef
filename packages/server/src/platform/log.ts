import { pino } from "pino";
import { LOG_EVENTS, type LogEventName, type LogLevel } from "./log-events.ts";
import { redactFields } from "./redact-fields.ts";

/** Names of events that may be logged at a level. */
type EventsAt<Level extends LogLevel> = {
  [Name in LogEventName]: Level extends (typeof LOG_EVENTS)[Name]["levels"][number] ? Name : never;
}[LogEventName];

type LogFields<Name extends LogEventName> = {
  [Field in (typeof LOG_EVENTS)[Name]["fields"][number]]?: unknown;
};

/** Each line is an event of the list: its text is fixed, and what varies is a field. */
export type Log = {
  [Level in LogLevel]: <Name extends EventsAt<Level>>(event: Name, fields?: LogFields<Name>) => void;
};

export function createLog(level: string, bindings: Record<string, string>): Log {
  const lines = pino({
    level,
    base: bindings,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError },
  });
  const write =
    (level: LogLevel) =>
    (event: LogEventName, fields: object = {}) =>
      lines[level](redactFields({ event, ...fields }), LOG_EVENTS[event].message);
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
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
