import type { RequestOf, Role, Talk } from "@signalbox/contract";
import { createClient, type Client } from "@signalbox/sdk";
import { makeAgent, operatorOf, type AgentToMake, type MadeAgent } from "./agents.ts";
import type { Bed } from "./bed.ts";
import { joinAs } from "./members.ts";
import { eventually } from "./processes.ts";

/** Somebody of the team, signed in to the console. */
export interface Person {
  name: string;
  accountId: string;
  /** As the console calls the service, with the person's session; each node has one. */
  clients: Client[];
  client: Client;
}

/** An agent whose users are answered in the inbox. */
export interface MadeInbox {
  agent: MadeAgent;
  agent_id: string;
  componentId: string;
  /** With the role support for this agent, unless told otherwise. */
  join(name: string, role?: Role): Promise<Person>;
  /** A user asks for a person; gives the chat once it waits in the inbox. */
  open(
    userId?: string,
  ): Promise<{ talk: Talk; path: { agent_id: string; talk_id: string }; conversationId: string }>;
  /** What the user was told by humans and notices, in order. */
  told(): string[];
}

export async function makeInbox(
  bed: Bed,
  options: { agent?: AgentToMake; inbox?: Partial<RequestOf<"setInbox">> } = {},
): Promise<MadeInbox> {
  const agent = await makeAgent(bed, options.agent);
  const { agentId: agent_id } = agent;
  const operator = operatorOf(bed);
  const { component_id } = await operator.inbox.set({ agent_id, ...options.inbox });
  return {
    agent,
    agent_id,
    componentId: component_id ?? "",
    join: (name, role = "support") => personAt(bed, { name, role, agentId: agent_id }),
    async open(userId = "user-1") {
      const conversationId = await agent.converse({ user_id: userId });
      await agent.ask(conversationId, "I want to talk to a person");
      // Its time for a first reply may be over before anybody looks.
      const views = ["waiting", "closed"] as const;
      const talk = await eventually("the chat is in the inbox", async () => {
        const pages = await Promise.all(
          views.map((view) => operator.talks.search({ agent_id, view, limit: 100 })),
        );
        return pages
          .flatMap(({ list }) => list)
          .find(({ conversation_id }) => conversation_id === conversationId);
      });
      return { talk, conversationId, path: { agent_id, talk_id: talk.talk_id } };
    },
    told: () =>
      agent.arrived().map(({ headers, body }) => {
        const { output } = body as { output: { content: { text: string } }[] };
        return `${headers["signalbox-sender"]}: ${output[0]?.content.text}`;
      }),
  };
}

export async function personAt(
  bed: Bed,
  { name, role, agentId }: { name: string; role: Role; agentId?: string },
): Promise<Person> {
  const { cookie, session } = await joinAs(bed, { name, role, agentId });
  const clients = bed.apis.map(({ baseUrl }) =>
    createClient({
      baseUrl,
      retries: 0,
      // In its place a browser sends the cookie.
      operatorToken: "session",
      fetch: (input, init = {}) => {
        const headers = new Headers(init.headers);
        headers.delete("authorization");
        headers.set("cookie", cookie);
        headers.set("origin", new URL(baseUrl).origin);
        return fetch(input, { ...init, headers });
      },
    }),
  );
  const [client] = clients;
  if (client === undefined) throw new Error("the bed has no api");
  return { name, accountId: session.account.account_id, clients, client };
}
