import { readWire, type ApiKeyScope } from "@signalbox/contract";
import { z } from "zod";
import { refuse, type Refusal } from "../platform/index.ts";
import type { CallRoute } from "./call-route.ts";

interface ToolDescription<Input extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** One of them is enough, as for a route. */
  readonly scopes: readonly ApiKeyScope[];
  readonly annotations: ToolAnnotations;
}

/** Hints for the client, which decides by them what to ask its user. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

export const READS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

export interface Tool extends Omit<ToolDescription<z.ZodObject>, "input"> {
  /** JSON Schema of what it takes. */
  readonly inputSchema: object;
  run(call: CallRoute, given: unknown): Promise<object | Refusal>;
}

export function defineTool<Input extends z.ZodObject>({
  input,
  run,
  ...description
}: ToolDescription<Input> & {
  run: (call: CallRoute, input: z.output<Input>) => Promise<object | Refusal>;
}): Tool {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: "input" });
  return {
    ...description,
    inputSchema,
    async run(call, given) {
      const read = readWire(input, given ?? {});
      return read.ok ? run(call, read.value) : refuse("badParameter", read.problem);
    },
  };
}
