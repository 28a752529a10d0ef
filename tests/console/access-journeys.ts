import assert from "node:assert/strict";
import { makeAgent, operatorOf } from "@signalbox/tests/support/agents.ts";
import { joinAs, PASSWORD } from "@signalbox/tests/support/members.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import type { AddTest } from "./stage.ts";

/** How people come in, and what they then see. */
export function accessJourneys(it: AddTest): void {
  it("sign in: a wrong token is refused, a right one opens the console, signing out closes it", async ({
    bed,
    tabOf,
  }) => {
    await using tab = await tabOf({ operatorToken: undefined });
    const { page } = tab;
    await tab.open("/deliveries");
    await page.getByLabel("Operator token").fill(`sbo_${"x".repeat(40)}`);
    await page.keyboard.press("Enter");
    await page.getByText("This token was not accepted").waitFor();
    await page.getByLabel("Operator token").fill(bed.operatorToken);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Deliveries", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Account and display" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in to Signalbox" }).waitFor();
    assert.equal(await page.evaluate(`sessionStorage.getItem("signalbox.operator-token")`), null);
    tab.assertQuiet();
  });

  it("accounts: join by an invitation's link, sign out, and sign in with email and password", async ({
    bed,
    tabOf,
  }) => {
    const { path } = await operatorOf(bed).invitations.create({ role: "owner" });
    await using tab = await tabOf({ operatorToken: undefined });
    const { page } = tab;
    await tab.open(path.replace("/console", ""));
    await page.getByText("You are invited as owner.").waitFor();
    await page.getByLabel("Your name").fill("Ann");
    await page.getByLabel("Email").fill("ann.journey@example.org");
    await page.getByLabel("Password").fill("short");
    await page.keyboard.press("Enter");
    await page.getByText("a password of at least 12 characters").waitFor();
    await page.getByLabel("Password").fill("password1234");
    await page.keyboard.press("Enter");
    await page.getByText("This password is easy to guess.").waitFor();
    await page.getByLabel("Password").fill("correct horse battery staple");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Account and display" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByLabel("Email").fill("ann.journey@example.org");
    await page.getByLabel("Password").fill("not my password");
    await page.keyboard.press("Enter");
    await page.getByText("Wrong email or password.").waitFor();
    await page.getByLabel("Password").fill("correct horse battery staple");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Account and display" }).waitFor();
    await tab.open(path.replace("/console", ""));
    await page.reload();
    await page.getByText("This invitation is no longer open").waitFor();
    tab.assertQuiet();
  });

  it("a second invitation: sign in with the account one has, or accept it while signed in", async ({
    bed,
    tabOf,
  }) => {
    const { email } = await joinAs(bed, { role: "viewer" });
    const operator = operatorOf(bed);
    const agents = [await makeAgent(bed, { name: "Second" }), await makeAgent(bed, { name: "Third" })];
    const links = await Promise.all(
      agents.map(async ({ agentId: agent_id }, at) => {
        const only = at === 0 ? { email } : {};
        const { path } = await operator.invitations.create({ role: "developer", agent_id, ...only });
        return path.replace("/console", "");
      }),
    );
    await using tab = await tabOf({ operatorToken: undefined });
    const { page } = tab;
    await tab.open(links[0] ?? "");
    await page.getByText("You are invited as developer of Second.").waitFor();
    await tab.judge("join-sign-in");
    assert.equal(await page.getByLabel("Email").inputValue(), email);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Account and display" }).waitFor();

    await tab.open(links[1] ?? "");
    await page.reload();
    await page.getByText(`You are signed in as Ann (${email}).`).waitFor();
    await tab.judge("join-accept");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Account and display" }).waitFor();
    await tab.open("/account");
    for (const name of ["Second", "Third"]) await page.getByText(`Developer of ${name}`).waitFor();
    tab.assertQuiet();
  });

  it("identity provider: be refused without an invitation, then come in with one", async ({
    bed,
    provider,
    tabOf,
  }) => {
    const email = "olga.journey@example.org";
    provider.claims = { sub: "olga", email, email_verified: true, name: "Olga" };
    await using tab = await tabOf({ operatorToken: undefined });
    const { page } = tab;
    await tab.open("/");
    await page.getByRole("button", { name: "Continue with Example ID" }).click();
    await page.getByText("You have no account here yet.").waitFor();
    await tab.judge("oidc-refused");
    await operatorOf(bed).invitations.create({ role: "developer", email });
    await page.getByRole("link", { name: "Back" }).click();
    await page.getByRole("button", { name: "Continue with Example ID" }).click();
    await page.getByRole("button", { name: "Account and display: Olga" }).waitFor();
    tab.assertQuiet();
  });

  it("a developer of one agent is led to it, and sees nothing of another on any screen", async ({
    bed,
    tabOf,
  }) => {
    const operator = operatorOf(bed);
    const [mine, other] = await Promise.all([
      makeAgent(bed, { name: "Mine" }),
      makeAgent(bed, { name: "Hidden" }),
    ]);
    const { path } = await operator.invitations.create({ role: "developer", agent_id: mine.agentId });
    await using tab = await tabOf({ operatorToken: undefined });
    const { page } = tab;
    await tab.open(path.replace("/console", ""));
    await page.getByLabel("Your name").fill("Bo");
    await page.getByLabel("Email").fill("bo.journey@example.org");
    await page.getByLabel("Password").fill("correct horse battery staple");
    await page.keyboard.press("Enter");
    await page.getByText("What is set up for Mine").waitFor();
    for (const screen of ["/", "/deliveries", "/conversations", "/endpoints", "/agent", "/keys"]) {
      await tab.open(screen);
      await page.getByRole("heading", { level: 1 }).waitFor();
      // A page that follows what changes is never idle.
      await eventually("it is loaded", async () => (await page.locator(".shimmer:visible").count()) === 0);
      assert.equal(new URL(page.url()).searchParams.get("agent"), mine.agentId, screen);
      const seen = await page.locator("body").innerText();
      assert.doesNotMatch(seen, new RegExp(`Hidden|${other.agentId}|your role`), screen);
    }
    await page.getByRole("button", { name: "Switch agent" }).click();
    assert.deepEqual(await page.getByRole("menuitemradio").or(page.getByRole("menuitem")).allInnerTexts(), [
      "M\nMine",
    ]);
    tab.assertQuiet();
  });
}
