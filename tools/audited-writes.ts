type Node = { type: string; [key: string]: unknown };
type Context = { report(found: { node: Node; message: string }): void };

const MESSAGE =
  "a write as operator leaves an audit row: call audit(db, caller, …) in this function, or pass the caller to the function that does";

/**
 * Only the audit needs to know who acts, and an unused parameter is an error: a transaction that hands its caller on ends in
 * an audit row, and one that does not has none. A function that takes no database only answers repeats.
 */
export function isUnauditedWrite(call: Node): boolean {
  if (!isOperatorWrite(call["callee"] as Node)) return false;
  const given = call["arguments"] as Node[];
  const work = given.at(-1);
  if (work?.type !== "ArrowFunctionExpression" && work?.type !== "FunctionExpression") return false;
  if ((work["params"] as Node[]).length === 0) return false;
  const caller = given.at(-2)?.["name"];
  return !someNode(
    work["body"],
    ({ type, arguments: handed }) =>
      type === "CallExpression" &&
      (handed as Node[]).some(({ name }) => name !== undefined && name === caller),
  );
}

/** `writeAsOperator(…)`, `agents.writeAsOperator(…)` and `operator.write(…)`. */
function isOperatorWrite(callee: Node): boolean {
  const nameOf = (node: unknown) => (node as Node | undefined)?.["name"];
  if (nameOf(callee) === "writeAsOperator" || nameOf(callee["property"]) === "writeAsOperator") return true;
  return nameOf(callee["object"]) === "operator" && nameOf(callee["property"]) === "write";
}

function someNode(value: unknown, isWanted: (node: Node) => boolean): boolean {
  if (Array.isArray(value)) return value.some((each) => someNode(each, isWanted));
  if (typeof value !== "object" || value === null) return false;
  if ("type" in value && isWanted(value as Node)) return true;
  return Object.entries(value).some(([key, inner]) => key !== "parent" && someNode(inner, isWanted));
}

export default {
  meta: { name: "operators" },
  rules: {
    "audited-writes": {
      create: (context: Context) => ({
        CallExpression(node: Node) {
          if (isUnauditedWrite(node)) context.report({ node, message: MESSAGE });
        },
      }),
    },
  },
};
