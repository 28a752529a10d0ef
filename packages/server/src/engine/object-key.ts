/** Every key that leads to a row carries its agent. */
export type ObjectKey = `${string}.${string}`;

const KEY = /^[0-9a-f-]{36}\.[0-9a-f-]{36}$/;

export function objectKey(agentId: string, id: string): ObjectKey {
  return `${agentId}.${id}`;
}

export function isObjectKey(key: string): key is ObjectKey {
  return KEY.test(key);
}

export function readObjectKey(key: string): { agentId: string; id: string } | undefined {
  if (!isObjectKey(key)) return undefined;
  const [agentId = "", id = ""] = key.split(".");
  return { agentId, id };
}
