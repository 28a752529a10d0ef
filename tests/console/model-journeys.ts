import { makeAgent, operatorOf } from "@signalbox/tests/support/agents.ts";
import { startModelServer } from "@signalbox/tests/support/model-server.ts";
import { keyboardOf } from "./hands.ts";
import type { AddTest, Stage } from "./stage.ts";

export function modelJourneys(it: AddTest): void {
  it(
    "a model with a wrong key: its test says what to do, Health shows it, and a test of the right one clears it (keyboard)",
    mendModel,
  );
}

async function mendModel({ bed, tabOf }: Stage): Promise<void> {
  await using model = await startModelServer();
  model.answer(({ headers }) =>
    headers["authorization"] === "Bearer sk-right"
      ? { say: "OK" }
      : { status: 401, error: { message: "Incorrect API key provided: sk-wrong" } },
  );
  const agent = await makeAgent(bed, { name: "Shop with a model" });
  const { agentId } = agent;
  const chat = { agent_id: agentId, url: model.url, model: "talker" };
  await operatorOf(bed).models.setChat({ ...chat, api_key: "sk-wrong" });
  await using tab = await tabOf();
  const { page } = tab;
  const hands = keyboardOf(page);
  /** Tabs are one stop; arrows move between them. */
  const openModels = async () => {
    await hands.press(page.getByRole("tab", { name: "General" }));
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
  };
  const testButton = page.getByRole("button", { name: "Test", exact: true });
  await tab.open(`/agent?agent=${agentId}`);
  await openModels();
  await hands.press(testButton);
  await page.getByText("The model does not work").waitFor();
  await page.getByText("The model's server refuses the API key").waitFor();
  await page.getByText("Enter a valid key of this provider").waitFor();
  await page.getByText("Incorrect API key provided").waitFor();
  await tab.open(`/health?agent=${agentId}`);
  await page.getByText("Models that fail").waitFor();
  await operatorOf(bed).models.setChat({ ...chat, api_key: "sk-right" });
  await hands.press(page.getByRole("link", { name: "Shop with a model" }).last());
  await openModels();
  await hands.press(testButton);
  await page.getByText("The model works").waitFor();
  await tab.open(`/health?agent=${agentId}`);
  await page.getByText("Every webhook and desk").waitFor();
  await page.getByText("Models that fail").waitFor({ state: "detached" });
  tab.assertQuiet();
}
