import { operatorOf } from "@signalbox/tests/support/agents.ts";
import { PASSWORD } from "@signalbox/tests/support/members.ts";
import { freePort } from "@signalbox/tests/support/processes.ts";
import { startService } from "@signalbox/tests/support/service.ts";
import type { Page } from "playwright-core";
import type { AddTest } from "./stage.ts";

/** A device with a fingerprint reader, as Chromium plays it, whose owner always touches it. */
async function plugInDevice(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

export function passkeyJourneys(it: AddTest): void {
  it("passkeys: add one, sign in with it, rename and remove it, and be refused", async ({ bed, tabOf }) => {
    // A browser makes passkeys for names, not for the address that the other journeys use.
    const port = await freePort();
    const baseUrl = `http://localhost:${port}`;
    await using _api = await startService({
      role: "api",
      port,
      name: "api-passkeys",
      directory: bed.directory,
      environment: { ...bed.environment, PUBLIC_URL: baseUrl },
    });
    const { path } = await operatorOf(bed).invitations.create({ role: "owner" });
    await using tab = await tabOf({ operatorToken: undefined, baseUrl });
    const { page } = tab;
    await plugInDevice(page);
    const signOut = async () => {
      await page.getByRole("button", { name: "Account and display: Pia" }).click();
      await page.getByRole("menuitem", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "Sign in to Signalbox" }).waitFor();
    };
    const withPasskey = page.getByRole("button", { name: "Sign in with a passkey" });
    await tab.open(path.replace("/console", ""));
    await page.getByLabel("Your name").fill("Pia");
    await page.getByLabel("Email").fill("pia.journey@example.org");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Account and display: Pia" }).waitFor();

    await tab.open("/account");
    await page.getByText("No passkeys yet.").waitFor();
    await page.getByRole("button", { name: "Add passkey" }).click();
    await page.getByLabel("Your password").fill("not my password");
    await page.keyboard.press("Enter");
    await page.getByText("This is not your password.").waitFor();
    await tab.judge("account-add-passkey");
    await page.getByLabel("Your password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByText("Passkey added").waitFor();
    await page.getByRole("button", { name: "Rename: Chrome on Linux" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Work laptop");
    await page.keyboard.press("Enter");
    await page.getByText("Work laptop", { exact: true }).waitFor();
    for (const theme of ["light", "dark"] as const) {
      await tab.look({ theme, width: 360 });
      await tab.judge("account-passkeys");
      await tab.look({ theme, width: 1440 });
      await tab.judge("account-passkeys");
    }

    await signOut();
    await withPasskey.waitFor();
    await tab.judge("sign-in-passkey");
    await withPasskey.click();
    await page.getByRole("button", { name: "Account and display: Pia" }).waitFor();
    await tab.open("/account");
    await page.getByRole("button", { name: "Remove: Work laptop" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("No passkeys yet.").waitFor();
    await signOut();
    await withPasskey.click();
    await page.getByText("This passkey is not registered here any more.").waitFor();
    tab.assertQuiet();
  });
}
