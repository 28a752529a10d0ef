import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import type { Desk } from "@signalbox/tests/support/desk.ts";
import type { DeveloperSite } from "./developer-site.ts";
import { focusedName, seriousFindings } from "./judged-page.ts";

interface Used {
  /** Calls `it` in the test file: a result is counted for the file that calls it. */
  test: (title: string, run: () => Promise<void>) => void;
  tab: () => Page;
  site: () => DeveloperSite;
  desk: () => Desk;
  open: (path: string) => Promise<unknown>;
  ask: (text: string) => Promise<void>;
  said: (text: string | RegExp) => Locator;
  log: () => Locator;
  soon: (what: string, isThere: () => Promise<boolean>) => Promise<void>;
  speakAsHuman: (text: string) => Promise<void>;
  /** What users thought, oldest first: of what, the rating and the comment. */
  ratings: () => Promise<string[]>;
}

const ANSWER = "At nine, every day but Sunday.";

/** Ratings, earlier chats, emoji and sound. */
export function testTools(used: Used): void {
  const { test, open, ask, said, log, soon, ratings } = used;

  async function shoot(name: string): Promise<void> {
    const folder = process.env["WIDGET_SCREENSHOTS"];
    if (folder !== undefined) await used.tab().screenshot({ path: `${folder}/${name}.png` });
  }

  test("the widget lets the user rate an answer with a word, and shows the rating after a reload", async () => {
    const tab = used.tab();
    await open("/inline");
    await ask("When do you open?");
    await said(ANSWER).waitFor();
    const answer = log().getByRole("group", { name: "Was this helpful?" });
    await answer.getByRole("button", { name: "Bad" }).click();
    await soon("the rating", async () => (await ratings()).join() === "answer bad null");
    await answer.getByRole("textbox").fill("And on Sundays?");
    await shoot("rating-an-answer");
    assert.deepEqual(await seriousFindings(tab), []);
    await answer.getByRole("textbox").press("Enter");
    await answer.getByText("Thanks for your feedback!").waitFor();
    await soon("the word", async () => (await ratings()).join() === "answer bad And on Sundays?");
    await tab.reload();
    await said(ANSWER).waitFor();
    const pressed = answer.getByRole("button", { pressed: true });
    assert.equal(await pressed.getAttribute("aria-label"), "Bad");
    await answer.getByRole("button", { name: "Good" }).click();
    await soon("another mind", async () => (await ratings()).join() === "answer good null");
  });

  test("the widget asks how the chat was after a human closes it", async () => {
    const tab = used.tab();
    await open("/inline");
    await ask("When do you open?");
    await said(ANSWER).waitFor();
    await tab.getByRole("button", { name: "Talk to a person" }).click();
    await used.speakAsHuman("Ann here.");
    await said("Ann here.").waitFor();
    await tab.getByRole("status").getByText("Live with our team").waitFor();
    const conversation_id = used.desk().calls()[0]?.handoffId ?? "";
    const named = { conversation_id, timestamp: Date.now(), body: "And Bo.", human_name: "Bo" };
    await used.desk().agent.client.handoffs.reply(named);
    await said("And Bo.").waitFor();
    const who = log().locator('[data-sender="human"] .who');
    const spoken = (await who.allInnerTexts()).map((text) => text.replace(/ \S+$/, ""));
    assert.deepEqual(spoken, ["Support team", "Bo Support team"]);
    const card = tab.getByRole("group", { name: "How was your chat with our team?" });
    assert.equal(await card.count(), 0);
    await used.desk().close(used.desk().calls()[0]?.handoffId ?? "");
    await card.waitFor();
    await card.getByRole("button", { name: "Good" }).click();
    await card.getByRole("textbox").fill("Quick!");
    await shoot("rating-a-chat");
    await card.getByRole("button", { name: "Done" }).click();
    await soon("the rating", async () => (await ratings()).join() === "handoff good Quick!");
    await tab.getByRole("button", { name: "Talk to a person" }).click();
    await soon("a new chat with a human", async () => (await card.count()) === 0);
  });

  test("a visitor begins a new chat, finds the earlier one in the list and goes on with it", async () => {
    const tab = used.tab();
    used.site().userId = undefined;
    await open("/inline");
    await ask("When do you open?");
    await said(ANSWER).waitFor();
    const choose = async (name: string) => {
      await tab.getByRole("button", { name: "More" }).click();
      await tab.getByRole("menuitem", { name }).click();
    };
    await choose("New chat");
    await soon("an empty chat", async () => (await log().locator(".message").count()) === 0);
    await ask("Do you deliver?");
    await said("Yes, within two days.").waitFor();
    await tab.reload();
    await said("Yes, within two days.").waitFor();
    await choose("Earlier chats");
    const list = tab.getByRole("list", { name: "Earlier chats" });
    await list.getByRole("button").nth(1).waitFor();
    assert.deepEqual(await list.locator(".preview").allInnerTexts(), ["Yes, within two days.", ANSWER]);
    await shoot("earlier-chats");
    assert.deepEqual(await seriousFindings(tab), []);
    await list.getByRole("button").nth(1).click();
    await said(ANSWER).waitFor();
    assert.equal(await said("Yes, within two days.").count(), 0);
    await ask("Do you deliver?");
    await said("Yes, within two days.").waitFor();
    assert.equal(await log().locator('[data-sender="user"]').count(), 2, "in the earlier chat");
  });

  test("the widget sends a file by the address that the page gives it, as a link, and to the human by its name", async () => {
    const tab = used.tab();
    await open("/inline");
    const clip = tab.getByRole("button", { name: "Attach a file" });
    await tab.getByRole("button", { name: "Emoji" }).waitFor();
    assert.equal(await clip.count(), 0, "without a place for files");
    const upload = `async (file) => {
      if (globalThis.isFull) throw new Error("full");
      return { url: "https://files.example/" + file.size };
    }`;
    await tab.evaluate(`document.querySelector("signalbox-chat").upload = ${upload}`);
    const choose = async () => {
      const chooser = tab.waitForEvent("filechooser");
      await clip.click();
      const file = { name: "receipt.png", mimeType: "image/png", buffer: Buffer.from("four") };
      await (await chooser).setFiles(file);
    };
    await tab.getByRole("button", { name: "Talk to a person" }).click();
    await used.speakAsHuman("Ann here.");
    await said("Ann here.").waitFor();
    await choose();
    const link = log().getByRole("link", { name: "receipt.png" });
    await link.waitFor();
    assert.equal(await link.getAttribute("href"), "https://files.example/4");
    await used.desk().arrived("chat");
    assert.ok(used.desk().story().includes("chat [image] receipt.png: https://files.example/4"));
    await shoot("attachment");
    assert.deepEqual(await seriousFindings(tab), []);
    await tab.reload();
    await link.waitFor();
    assert.equal(await log().getByText("[image]").count(), 0);
    await tab.evaluate(`isFull = true; document.querySelector("signalbox-chat").upload = ${upload}`);
    await choose();
    await tab.getByText("The file could not be uploaded. Please try again.").waitFor();
  });

  test("the widget's emoji are chosen with the keyboard and stand where the cursor was", async () => {
    const tab = used.tab();
    await open("/bubble");
    await tab.locator(".launch").click();
    const field = tab.getByRole("textbox");
    await field.fill("Hello!");
    await field.press("ArrowLeft");
    await tab.getByRole("button", { name: "Emoji" }).press("Enter");
    for (const key of ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "ArrowRight"])
      await tab.keyboard.press(key);
    assert.equal(await focusedName(tab), "😂");
    await shoot("emoji");
    assert.deepEqual(await seriousFindings(tab), []);
    await tab.keyboard.press("Enter");
    assert.equal(await field.inputValue(), "Hello😂!");
    await tab.getByRole("button", { name: "Emoji" }).press("Enter");
    await tab.keyboard.press("Escape");
    assert.equal(await focusedName(tab), "Emoji");
    assert.equal(await field.isVisible(), true, "the bubble is still open");
  });

  test("the widget makes no sound until it is switched on, and keeps the choice", async () => {
    const tab = used.tab();
    await tab.addInitScript(`
      globalThis.tones = 0;
      const create = AudioContext.prototype.createOscillator;
      AudioContext.prototype.createOscillator = function () { tones += 1; return create.call(this); };`);
    const tones = () => tab.evaluate("tones");
    await open("/inline");
    await ask("When do you open?");
    await said(ANSWER).waitFor();
    assert.equal(await tones(), 0);
    const toggle = async () => {
      await tab.getByRole("button", { name: "More" }).click();
      await shoot("menu");
      await tab.getByRole("menuitemcheckbox", { name: "Sound" }).click();
    };
    await toggle();
    assert.equal(await tones(), 2, "so that one hears what was chosen");
    await tab.reload();
    await said(ANSWER).waitFor();
    assert.equal(await tones(), 0, "history makes no sound");
    await ask("Do you deliver?");
    await said("Yes, within two days.").waitFor();
    await soon("the sound", async () => (await tones()) === 2);
    await toggle();
    await ask("When do you open?");
    await soon("the answer", async () => (await said(ANSWER).count()) === 2);
    assert.equal(await tones(), 2);
  });
}
