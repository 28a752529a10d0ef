import type { Service } from "./service.ts";

export type LogLine = {
  level: string;
  msg: string;
  event?: string;
  requestId?: string;
  [field: string]: unknown;
};

/** What a process has logged so far; whatever else it printed is left out. */
export function logLines(service: Service): LogLine[] {
  return service
    .logs()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as LogLine);
}
