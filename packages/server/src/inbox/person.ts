import type { MessageAuthor, OperatorCaller } from "../platform/index.ts";

/** Who acts, as colleagues and users may see it: the audit's name of an account also tells its email address. */
export function personOf({ actor, actorId, actorName }: OperatorCaller): MessageAuthor {
  const isAccount = actor === "account";
  return {
    id: isAccount ? actorId : null,
    name: isAccount ? actorName.replace(/ <[^<>]*>$/, "") : actorName,
  };
}
