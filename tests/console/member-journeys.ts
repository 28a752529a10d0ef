import assert from "node:assert/strict";
import { makeAgent } from "@signalbox/tests/support/agents.ts";
import { joinAs, PASSWORD } from "@signalbox/tests/support/members.ts";
import { oneTimeCode } from "@signalbox/tests/support/one-time-codes.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import type { Page } from "playwright-core";
import { focusIsOn, keyboardOf } from "./hands.ts";
import type { AddTest } from "./stage.ts";

const pagesOf = (page: Page) => page.getByRole("navigation").getByRole("link").allTextContents();

/** What people do with accounts: their own and those of others. */
export function memberJourneys(it: AddTest): void {
  it("members: invite by a link, join, be refused by role, get another role and lose it (keyboard)", async ({
    bed,
    tabOf,
  }) => {
    const agent = await makeAgent(bed, { name: "Team", webhook: false });
    const other = await makeAgent(bed, { name: "Elsewhere", webhook: false });
    await using owner = await tabOf();
    await owner.open(`/?agent=${agent.agentId}`);
    const { page } = owner;
    const hands = keyboardOf(page);
    await hands.press(page.getByRole("navigation").getByRole("link", { name: "Members" }));
    await hands.press(page.getByRole("button", { name: "Invite" }));
    await hands.type(page.getByLabel("Email"), "bob.journey@example.org");
    await hands.choose(page.getByRole("combobox", { name: "Role" }), /^Support/);
    await hands.press(page.getByRole("button", { name: "Create link" }));
    const link = (await page.getByRole("dialog").locator("code").textContent()) ?? "";
    await hands.press(page.getByRole("dialog").getByRole("button", { name: "Close" }).last());
    await focusIsOn(page.getByRole("button", { name: "Invite" }));
    await page.getByRole("button", { name: "Withdraw: bob.journey@example.org" }).waitFor();

    await using bob = await tabOf({ operatorToken: undefined });
    const bobs = keyboardOf(bob.page);
    await bob.page.goto(link);
    await bob.page.getByText("You are invited as support of Team.").waitFor();
    await bobs.type(bob.page.getByLabel("Your name"), "Bob");
    await bobs.type(bob.page.getByLabel("Password"), PASSWORD);
    await bob.page.keyboard.press("Enter");
    await bob.page.getByRole("heading", { name: "Inbox", level: 1 }).waitFor();
    assert.deepEqual(await pagesOf(bob.page), [
      "Inbox",
      "Conversations",
      "Unanswered",
      "Numbers",
      "Knowledge",
      "Saved questions",
    ]);
    // Nothing leads there: he types the address.
    await bob.open("/keys");
    await bob.page.getByText("You don't have permission for this").waitFor();
    await bob.open(`/conversations?agent=${other.agentId}`);
    await bob.page.waitForURL(new RegExp(agent.agentId));
    await bobs.press(bob.page.getByRole("button", { name: "Switch agent" }));
    assert.deepEqual(await bob.page.getByRole("menuitem").allTextContents(), ["TTeam"]);
    await bob.page.keyboard.press("Escape");
    await focusIsOn(bob.page.getByRole("button", { name: "Switch agent" }));

    await page.reload();
    const change = page.getByRole("button", { name: "Change roles: Bob" });
    await hands.press(change);
    await hands.choose(page.getByRole("combobox", { name: "Role" }), /^Developer/);
    await hands.press(page.getByRole("button", { name: "Save" }));
    await page.getByText("Roles changed").waitFor();
    await focusIsOn(change);
    await eventually("the new role shows", async () => {
      await bob.page.reload();
      await bob.page.locator("h1").waitFor();
      return (await pagesOf(bob.page)).includes("API keys");
    });
    const pageOf = (name: string) => bob.page.getByRole("navigation").getByRole("link", { name });
    await bobs.press(pageOf("API keys"));
    await bob.page.getByRole("button", { name: "Create key" }).waitFor();
    await bobs.press(pageOf("Health"));
    await bob.page.getByText("No webhook is configured yet").waitFor();
    assert.equal(await bob.page.getByRole("alert").count(), 0);

    await hands.press(page.getByRole("button", { name: "Remove: Bob" }));
    await hands.press(page.getByRole("alertdialog").getByRole("button", { name: "Remove" }));
    await page.getByText("No members yet").waitFor();
    // His row is gone, and with it the button: what stands there now has the focus.
    await page.getByRole("main").locator(":focus").waitFor();
    await eventually("he sees nothing", async () => {
      await bob.page.reload();
      await bob.page.locator("h2").first().waitFor();
      return (await bob.page.getByText("You have no role yet").count()) === 1;
    });
    for (const tab of [owner, bob]) tab.assertQuiet();
  });

  it("your account: end another session, which is signed out, and change the password", async ({
    bed,
    tabOf,
  }) => {
    const { email } = await joinAs(bed, { role: "developer" });
    const signedIn = async () => {
      const tab = await tabOf({ operatorToken: undefined });
      await tab.open("/deliveries");
      await tab.page.getByLabel("Email").fill(email);
      await tab.page.getByLabel("Password").fill(PASSWORD);
      await tab.page.keyboard.press("Enter");
      await tab.page.getByRole("heading", { name: "Deliveries", level: 1 }).waitFor();
      return tab;
    };
    await using lost = await signedIn();
    await using tab = await signedIn();
    const { page } = tab;
    await page.getByRole("button", { name: "Account and display: Ann" }).click();
    await page.getByRole("menuitem", { name: "Your account" }).click();
    await page.getByText("This session").waitFor();
    await tab.judge("account");
    await page
      .getByRole("button", { name: /^End session: Chrome/ })
      .first()
      .click();
    await page.getByRole("alertdialog").getByRole("button", { name: "End session" }).click();
    await page.getByText("Session ended").waitFor();
    await lost.page.getByText("Your session has ended.").waitFor();

    await page.getByLabel("Current password").fill("not my password");
    await page.getByLabel("New password").fill("a new and longer password");
    await page.keyboard.press("Enter");
    await page.getByText("This is not your current password.").waitFor();
    await page.getByLabel("Current password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByText("Password changed").waitFor();
    await page.getByText("Sign-in changed").waitFor();
    await tab.judge("account-changed");
    await eventually(
      "only this session is left",
      async () => (await page.getByRole("button", { name: /^End session/ }).count()) === 0,
    );
    for (const one of [tab, lost]) one.assertQuiet();
  });

  it("two-step sign-in: turn it on with a code, sign in with one, be reset by an owner", async ({
    bed,
    tabOf,
  }) => {
    const ann = await joinAs(bed, { role: "developer", name: "Ann Two-Step" });
    await using tab = await tabOf({ operatorToken: undefined, cookie: ann.cookie });
    const { page } = tab;
    await tab.open("/account");
    await page.getByRole("button", { name: "Turn on" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Password").fill("not my password");
    await page.keyboard.press("Enter");
    await page.getByText("This is not your password.").waitFor();
    await dialog.getByLabel("Password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("img", { name: "QR code for your authenticator app" }).waitFor();
    await tab.judge("account-scan");
    const secret = (await dialog.locator("code").textContent()) ?? "";
    await page.getByLabel("Code from the app").fill("000000");
    await page.keyboard.press("Enter");
    await page.getByText("This is not the current code.").waitFor();
    await page.getByLabel("Code from the app").fill(oneTimeCode(secret));
    await page.keyboard.press("Enter");
    await page.getByText("Save your recovery codes").waitFor();
    await tab.judge("account-recovery-codes");
    assert.equal(await dialog.locator("li").count(), 10);
    const recovery = (await dialog.locator("li").first().textContent()) ?? "";
    await page.getByRole("button", { name: "I saved them" }).click();
    await page.getByText("10 recovery codes left").waitFor();

    await page.getByRole("button", { name: "Account and display" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    const signInWith = async (code: string) => {
      await page.getByLabel("Email").fill(ann.email);
      await page.getByLabel("Password").fill(PASSWORD);
      await page.keyboard.press("Enter");
      await page.getByLabel("Code from your app").fill(code);
      await page.keyboard.press("Enter");
    };
    await signInWith("000000");
    await page.getByText("This code is wrong").waitFor();
    await tab.judge("sign-in-code");
    await page.getByLabel("Code from your app").fill(recovery);
    await page.keyboard.press("Enter");
    await page.getByText("9 recovery codes left").waitFor();

    await using owner = await tabOf();
    await owner.open("/members");
    await owner.page.getByRole("button", { name: "More: Ann Two-Step" }).click();
    await owner.page.getByRole("menuitem", { name: "Turn off two-step sign-in" }).click();
    await owner.judge("members-reset");
    await owner.page
      .getByRole("alertdialog")
      .getByRole("button", { name: "Turn off two-step sign-in" })
      .click();
    await owner.page.getByText("Two-step sign-in turned off").waitFor();
    await eventually("she is signed out", async () => {
      await page.reload();
      await page.locator("h1").first().waitFor();
      return (await page.getByRole("heading", { name: "Sign in to Signalbox" }).count()) === 1;
    });
    for (const one of [tab, owner]) one.assertQuiet();
  });

  it("forgotten password: an owner creates a link, and a new password signs in", async ({ bed, tabOf }) => {
    const { email } = await joinAs(bed, { role: "developer", name: "Ann Forgetful" });
    await using owner = await tabOf();
    await owner.open("/members");
    await owner.page.getByRole("button", { name: "More: Ann Forgetful" }).click();
    await owner.page.getByRole("menuitem", { name: "Reset password" }).click();
    await owner.page.getByRole("dialog").getByRole("button", { name: "Create link" }).click();
    const link = (await owner.page.getByRole("dialog").locator("code").textContent()) ?? "";

    await using tab = await tabOf({ operatorToken: undefined });
    const { page } = tab;
    await page.goto(link);
    await page.getByText(`For the account ${email}.`).waitFor();
    await tab.judge("reset-password");
    await page.getByLabel("New password").fill("short");
    await page.keyboard.press("Enter");
    await page.getByText("At least 12 characters, and not easy to guess.").first().waitFor();
    await page.getByLabel("New password").fill("password1234");
    await page.keyboard.press("Enter");
    await page.getByText("This password is easy to guess.").waitFor();
    await page.getByLabel("New password").fill("a new and longer password");
    await page.keyboard.press("Enter");
    await page.getByText("Your password is set").waitFor();
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill("a new and longer password");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Account and display" }).waitFor();
    await page.goto(link);
    await page.reload();
    await page.getByText("This link no longer works").waitFor();
    for (const one of [tab, owner]) one.assertQuiet();
  });
}
