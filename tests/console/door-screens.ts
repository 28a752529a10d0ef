import { randomBytes } from "node:crypto";
import { operatorOf } from "@signalbox/tests/support/agents.ts";
import type { Bed } from "@signalbox/tests/support/bed.ts";
import { joinAs, type Member, PASSWORD } from "@signalbox/tests/support/members.ts";
import { enrol } from "@signalbox/tests/support/one-time-codes.ts";
import { freePort } from "@signalbox/tests/support/processes.ts";
import { startService } from "@signalbox/tests/support/service.ts";
import type { Page } from "playwright-core";
import { IS_WHOLE } from "./screen-data.ts";
import { judgeLooks, LANGUAGES, LOOKS, NARROW, settled } from "./screens.ts";
import type { AddTest, Stage } from "./stage.ts";

/** A tab opens paths below the one that the console is mounted at. */
const inConsole = (path: string) => path.replace("/console", "");

async function giveEmailAndPassword(page: Page, email: string): Promise<void> {
  await page.locator("input[type=email]").fill(email);
  await page.locator("input[autocomplete=current-password]").fill(PASSWORD);
  await page.keyboard.press("Enter");
}

type Door = [name: string, path: string, open?: (page: Page) => Promise<void>];

/** What somebody sees who is not signed in yet, by the name of the screen. */
async function doorsOf({ bed, provider }: Stage): Promise<Door[]> {
  const operator = operatorOf(bed);
  const member = await joinAs(bed, { role: "viewer" });
  await enrol(bed, member);
  const { account_id } = member.session.account;
  const { path: invitation } = await operator.invitations.create({ role: "owner" });
  const { path: reset } = await operator.passwordResets.create({ account_id });
  provider.claims = { sub: "door", email: "door@example.org", email_verified: true, name: "Dora" };
  return [
    ["join", inConsole(invitation)],
    ["reset-password", inConsole(reset)],
    [
      "sign-in-code",
      "/",
      async (page) => {
        await giveEmailAndPassword(page, member.email);
        await page.locator("input[autocomplete=one-time-code]").fill("000000");
        await page.keyboard.press("Enter");
        await page.locator("[data-invalid]").first().waitFor();
      },
    ],
    [
      "oidc-refused",
      "/",
      async (page) => {
        await page.getByRole("button", { name: /Example ID/ }).click();
        await page.getByRole("link", { name: /^(Back|返回)/ }).waitFor();
      },
    ],
  ];
}

/** As if two devices had made them, years apart. */
async function givePasskeys(bed: Bed, { session }: Member): Promise<void> {
  for (const [name, used] of [
    ["Chrome on Linux", "now() - interval '3 minutes'"],
    ["A security key that hangs on the key ring of the office in Rotterdam", "null"],
  ] as const)
    await bed.database.query(
      `insert into account_passkey (id, account_id, credential_id, public_key, counter, transports, name, last_used_at)
       values (gen_random_uuid(), $1, $2, $2, 0, '{}', $3, ${used})`,
      [session.account.account_id, randomBytes(32), name],
    );
}

/** Screens of people who come in, and of the ways in which they do. */
export function doorScreens(it: AddTest): void {
  it("the sign-in page is shown without a session", async ({ tabOf }) => {
    for (const language of LANGUAGES) {
      await using tab = await tabOf({ operatorToken: undefined, language, still: true });
      await tab.open("/");
      await tab.page.locator("h1").waitFor();
      await judgeLooks(tab, "sign-in", { looks: IS_WHOLE ? LOOKS : [NARROW], axe: "some" });
      tab.assertQuiet();
    }
  });
  if (!IS_WHOLE) return;

  for (const language of LANGUAGES) {
    it(`every way in has no serious finding of axe and fits: ${language}`, async (stage) => {
      for (const [name, path, open] of await doorsOf(stage)) {
        await using tab = await stage.tabOf({ operatorToken: undefined, language, still: true });
        await tab.open(path);
        await settled(tab);
        await open?.(tab.page);
        await judgeLooks(tab, name, { looks: LOOKS, axe: "some" });
        tab.assertQuiet();
      }
    });

    it(`passkeys and two steps in one's account have no serious finding of axe and fit: ${language}`, async ({
      bed,
      tabOf,
    }) => {
      // A browser makes passkeys for names, not for the address that the other screens use.
      const port = await freePort();
      const baseUrl = `http://localhost:${port}`;
      await using _api = await startService({
        role: "api",
        port,
        name: `api-doors-${language}`,
        directory: bed.directory,
        environment: { ...bed.environment, PUBLIC_URL: baseUrl },
      });
      const member = await joinAs(bed, { role: "owner", name: "Pia" });
      const { cookie } = member;
      await using tab = await tabOf({ operatorToken: undefined, baseUrl, cookie, language, still: true });
      const look = (name: string) => judgeLooks(tab, name, { looks: LOOKS, axe: "some" });
      await tab.open("/account");
      await settled(tab);
      await look("account-no-passkeys");
      await givePasskeys(bed, member);
      await enrol(bed, member);
      await tab.page.reload();
      await settled(tab);
      await look("account-passkeys");
      await tab.page.getByRole("button", { name: /^(Add passkey|添加通行密钥)$/ }).click();
      await tab.page.getByRole("dialog").waitFor();
      await look("account-add-passkey");
      tab.assertQuiet();
    });
  }
}
