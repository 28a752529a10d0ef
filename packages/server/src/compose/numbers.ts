import * as answering from "../answering/index.ts";
import type { Sweep } from "../engine/index.ts";
import type { RouteHandlers } from "../http/index.ts";
import * as numbers from "../numbers/index.ts";
import type { RouteParts, WorkerParts } from "./parts.ts";

export function numbersRoutes({ operator }: RouteParts) {
  return {
    getNumbers: (_, input) => numbers.getNumbers(operator, input),
    exportNumbers: (_, input) => numbers.exportNumbers(operator, input),
    listTopQuestions: (from, input) => answering.listTopQuestions(operator, from, input),
  } satisfies Partial<RouteHandlers>;
}

export function numbersSweeps({ sweeping, shared, config }: WorkerParts): Sweep[] {
  const { retentionDays } = config.numbers;
  return [numbers.numbersSweep({ db: sweeping.db, retentionDays, stopping: shared.stopping })];
}
