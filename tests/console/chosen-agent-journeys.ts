import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { makeAgent, type MadeAgent } from "@signalbox/tests/support/agents.ts";
import type { Bed } from "@signalbox/tests/support/bed.ts";
import type { ConsoleTab } from "./console-tab.ts";
import { settled } from "./screens.ts";
import type { AddTest } from "./stage.ts";

const ROUTER = join(import.meta.dirname, "../../packages/console/src/frame/router.tsx");
/** Each screen of the console that an address alone opens; the components need no agent. */
const SCREENS = [...readFileSync(ROUTER, "utf8").matchAll(/path: "(\/[^"$]*)"/g)]
  .map(([, path = ""]) => path)
  .filter((path) => path !== "/design");
const OF_ONE_AGENT = [
  "/",
  "/agent",
  "/check",
  "/endpoints",
  "/inbox",
  "/keys",
  "/knowledge",
  "/saved-questions",
  "/unanswered",
];
const QA = [{ question: "When do you open?", answer: "At nine." }];

/** The switcher says which agent the screens are about. */
export function chosenAgentJourneys(it: AddTest): void {
  it("under All agents no screen names or asks for an agent that was not chosen; one that needs an agent asks which", async ({
    bed,
    tabOf,
  }) => {
    const agents = await twoAgents(bed);
    await using tab = await tabOf({ still: true });
    const asking: string[] = [];
    for (const path of SCREENS) {
      const asked = await agentsAskedFor(tab, () => tab.open(path));
      assert.deepEqual(asked, [], `${path} asks for one agent`);
      await switcher(tab, "All agents").waitFor();
      const question = tab.page.getByRole("region", { name: "Choose an agent" });
      const heading = await tab.page.locator("main header").first().innerText();
      for (const { name } of agents) assert.ok(!heading.includes(name), `${path} is headed ${heading}`);
      if ((await question.count()) === 0) continue;
      asking.push(path);
      await question.getByRole("link", { name: agents[1].name }).click();
      await switcher(tab, agents[1].name).waitFor();
      await tab.page.locator("main").getByText(agents[1].name).first().waitFor();
    }
    assert.deepEqual(asking.toSorted(), OF_ONE_AGENT);
    tab.assertQuiet();
  });

  it("every screen asks for the agent that the switcher names and for no other", async ({ bed, tabOf }) => {
    const [, { agentId, name }] = await twoAgents(bed);
    await using tab = await tabOf({ still: true });
    for (const path of SCREENS) {
      const asked = await agentsAskedFor(tab, () => tab.open(`${path}?agent=${agentId}`));
      assert.deepEqual(
        asked.filter((id) => id !== agentId),
        [],
        path,
      );
      await switcher(tab, name).waitFor();
    }
    tab.assertQuiet();
  });

  it("another agent is chosen: what the address named of the first one stays behind", async ({
    bed,
    tabOf,
  }) => {
    const [first, second] = await twoAgents(bed);
    const conversation = await first.converse();
    await using tab = await tabOf();
    const { page } = tab;
    for (const [path, name, left] of [
      [`/conversations/${first.agentId}/${conversation}?`, "Conversations", "/console/conversations"],
      [
        `/deliveries?conversation=${conversation}&state=dead&`,
        "Deliveries",
        "/console/deliveries?state=dead",
      ],
    ] as const) {
      await tab.open(`${path}agent=${first.agentId}`);
      await switcher(tab, first.name).click();
      await page.getByRole("menuitem", { name: second.name }).click();
      await page.getByRole("heading", { name, level: 1 }).waitFor();
      await switcher(tab, second.name).waitFor();
      const { pathname, searchParams } = new URL(page.url());
      searchParams.delete("agent");
      assert.equal(`${pathname}${searchParams.size > 0 ? "?" : ""}${searchParams.toString()}`, left);
    }
    tab.assertQuiet();
  });

  it("the only agent there is, is chosen and named; an agent that does not exist is none", async ({
    bed,
    tabOf,
  }) => {
    const [{ agentId, name }] = await twoAgents(bed);
    await using tab = await tabOf();
    const { page } = tab;
    await tab.open(`/deliveries?agent=${crypto.randomUUID()}`);
    await switcher(tab, "All agents").waitFor();
    await page.waitForURL((url) => !url.searchParams.has("agent"));
    await page.route(/\/admin\/v1\/agents\?/, async (route) => {
      const reply = await route.fetch();
      const { list } = (await reply.json()) as { list: { agent_id: string }[] };
      await route.fulfill({
        json: { list: list.filter(({ agent_id }) => agent_id === agentId), next_cursor: null },
      });
    });
    await tab.open("/knowledge");
    await switcher(tab, name).waitFor();
    await page.getByRole("button", { name: "When do you open?" }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get("agent"), agentId);
    tab.assertQuiet();
  });
}

type NamedAgent = MadeAgent & { name: string };

let made: Promise<[NamedAgent, NamedAgent]> | undefined;
/** Neither is the newest of the installation: another is made after them. */
function twoAgents(bed: Bed): Promise<[NamedAgent, NamedAgent]> {
  const make = async (name: string) => ({ ...(await makeAgent(bed, { name, qaList: QA })), name });
  return (made ??= (async () => {
    const both: [NamedAgent, NamedAgent] = [
      await make("Bakery by the bridge"),
      await make("Florist at the fair"),
    ];
    await makeAgent(bed, { name: "Grocer in the gate" });
    return both;
  })());
}

function switcher({ page }: ConsoleTab, agent: string) {
  return page.getByRole("button", { name: `Switch agent: ${agent}` });
}

/** The agents that the calls of a screen name, in their path or query. */
async function agentsAskedFor(tab: ConsoleTab, open: () => Promise<void>): Promise<string[]> {
  const found = new Set<string>();
  const note = (request: { url: () => string }) => {
    const { pathname, searchParams } = new URL(request.url());
    const id = /^\/admin\/v1\/agents\/([^/]+)/.exec(pathname)?.[1] ?? searchParams.get("agent_id");
    if (id !== null) found.add(id);
  };
  tab.page.on("request", note);
  await open();
  await settled(tab);
  await tab.page.waitForLoadState("load");
  tab.page.off("request", note);
  return [...found];
}
