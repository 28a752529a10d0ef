import type { Callers } from "./callers.ts";
import type { Clients } from "./clients.ts";
import type { Team } from "./team.ts";
import type { Arrival, Behaviour, Invocation } from "./world-parts.ts";

export interface World {
  agentId: string;
  conversationId: string;
  /** Other conversations of the agent: what is said in them shares a commit with what is said here. */
  neighbours: string[];
  arrivals: Arrival[];
  /** What the engine was asked for and has not been given to anybody. */
  queue: Invocation[];
  /** Lanes whose worker died with a message in hand, which may have arrived for all that anybody knows. */
  cutOffLanes: Set<string>;
  /** Answers that were neither an answer of the contract nor a crash of ours. */
  surprises: string[];
  /** Something happened that only the reconciler mends: a call was lost, or the clock was set back. */
  needsReconciler: boolean;
  /** Somebody failed or died, or one call went to two workers, so that something may be sent again. */
  mayRepeat: boolean;
  /** Deliveries sent again without such a reason: the developer had taken them, or was about to. */
  repeats: string[];
  behave: (call: Arrival["call"]) => Behaviour;
  /** Calls to the engine are lost while it is true. */
  isEngineAway: boolean;
  /** Everything that they received. */
  clients: Clients;
  /** Those in blocking and streaming mode. */
  callers: Callers;
  /** Undefined: the desk is a developer's. */
  team: Team | undefined;
  setNow(ms: number): void;
  /** In the conversation, and in this many of its neighbours at the same moment: an answer for each. */
  say(text: string, beside: number): Promise<unknown[]>;
  request(): Promise<unknown>;
  leave(): Promise<unknown>;
  reply(handoffId: string, timestamp: number, body: string): Promise<unknown>;
  close(handoffId: string): Promise<unknown>;
  /** The user of the conversation. */
  erase(): Promise<unknown>;
  perform(invocation: Invocation): Promise<void>;
  /** Every announcement has reached every node, and everybody has seen all there is to see. */
  endRound(wasLong: boolean): Promise<void>;
  /** How many turns and lanes were forgotten by everybody else. */
  sweep(): Promise<number>;
}
