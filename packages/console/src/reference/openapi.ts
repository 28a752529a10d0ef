/** The parts of an OpenAPI 3.1 document that ours uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
}

type Content = Record<string, { schema: Schema }>;

export interface Reply {
  $ref?: string;
  description?: string;
  content?: Content;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, Reply>;
}

export interface OpenApi {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Reply> };
}

/** One call: of a path of ours, or of an address that a developer hosts. */
export interface Entry {
  operation: Operation;
  method: string;
  /** Left out where the developer chooses it. */
  path?: string;
}

export function entriesOf({ paths, webhooks }: OpenApi): Entry[] {
  const ours = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ operation, method: method.toUpperCase(), path })),
  );
  const theirs = Object.values(webhooks).flatMap((methods) =>
    Object.entries(methods).map(([method, operation]) => ({ operation, method: method.toUpperCase() })),
  );
  return [...ours, ...theirs];
}

const nameOf = (reference: string) => reference.slice(reference.lastIndexOf("/") + 1);

export function schemaOf(document: OpenApi, schema: Schema): { schema: Schema; name: string | undefined } {
  if (schema.$ref === undefined) return { schema, name: undefined };
  const name = nameOf(schema.$ref);
  return {
    schema: {
      ...document.components.schemas[name],
      ...(schema.description !== undefined && { description: schema.description }),
    },
    name,
  };
}

export function replyOf(document: OpenApi, reply: Reply): Reply {
  return reply.$ref === undefined ? reply : (document.components.responses[nameOf(reply.$ref)] ?? {});
}

/** The alternatives a value may take, without null. */
export function alternativesOf({ anyOf, oneOf }: Schema): Schema[] {
  return (anyOf ?? oneOf ?? []).filter(({ type }) => type !== "null");
}

export function isNullable({ type, anyOf, oneOf }: Schema): boolean {
  return (
    (Array.isArray(type) && type.includes("null")) ||
    [...(anyOf ?? []), ...(oneOf ?? [])].some((one) => one.type === "null")
  );
}
