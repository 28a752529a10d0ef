type Node = { type: string; [key: string]: unknown };
type Context = { report(found: { node: Node; message: string }): void };

const MESSAGE =
  "a test title stands alone: begin with its subject, so that the line that fails says what broke without its describe";

/** Words that begin a predicate and never a subject. A verb that is also a plural ("answers", "writes") is not listed. */
const PREDICATES = new Set(
  `is are was were has have had does do did can cannot may must will would should never not
  accepts adds allows announces asks becomes begins belongs brings carries comes complains connects creates deletes delivers
  evicts explains fails finds finishes follows forgets gets gives goes grows handles happens hides ignores joins keeps knows
  lasts leaves lets loses makes notices opens overwrites reaches reads receives refuses registers rejects remembers renews
  reorders says sees sends serves settles shrinks skips speaks stays stops survives takes tells throws verifies waits
  warns`.split(/\s+/),
);

/** A title that only continues the sentence of its describe. One that begins with what its table holds is not judged. */
export function continuesDescribe(call: Node): boolean {
  const { name } = call["callee"] as { name?: string };
  if (name !== "it" && name !== "test") return false;
  const [title] = call["arguments"] as (Node | undefined)[];
  return PREDICATES.has(beginningOf(title).split(" ", 1)[0] ?? "");
}

function beginningOf(title: Node | undefined): string {
  if (title?.type === "Literal") return String(title["value"]);
  if (title?.type !== "TemplateLiteral") return "";
  const [first] = title["quasis"] as { value: { cooked: string | null } }[];
  return first?.value.cooked ?? "";
}

export default {
  meta: { name: "tests" },
  rules: {
    "whole-titles": {
      create: (context: Context) => ({
        CallExpression(node: Node) {
          if (continuesDescribe(node)) context.report({ node, message: MESSAGE });
        },
      }),
    },
  },
};
