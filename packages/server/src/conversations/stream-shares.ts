import {
  createOpenCounts,
  refuseBeyond,
  type Ceiling,
  type LimitName,
  type OperatorCaller,
  type Refusal,
} from "../platform/index.ts";

/** How many streams of changes are open on this node, for one account or token, about one agent, and in all. */
export interface StreamShares {
  /** Gives the function to call when the stream ends. */
  open(caller: OperatorCaller, agentId: string | undefined): (() => void) | Refusal;
}

export interface StreamShareOptions {
  ofNode: number;
  ofAccount: number;
  ofAgent: number;
}

const RETRY_AFTER_SECONDS = 10;

export function createStreamShares({ ofNode, ofAccount, ofAgent }: StreamShareOptions): StreamShares {
  const counts = createOpenCounts();
  return {
    open: ({ actor, actorId }, agentId) =>
      counts.open([
        ceiling(`${actor} ${actorId}`, ofAccount, "account_streams", "for your account; close a tab"),
        ...(agentId === undefined
          ? []
          : [ceiling(agentId, ofAgent, "agent_operator_streams", "about this agent; close one")]),
        ceiling("", ofNode, "operator_streams", "on this node; close one"),
      ]),
  };
}

function ceiling(key: string, most: number, name: LimitName, where: string): Ceiling<Refusal> {
  return {
    key,
    most,
    refuse: () =>
      refuseBeyond(
        { name, most },
        `${most} streams of changes are already open ${where}, or try again shortly`,
        RETRY_AFTER_SECONDS,
      ),
  };
}
