import type { Page } from "@signalbox/tests/support/chromium.ts";

/** Two windows side by side, and one below them. A page has its size from the start: what was said stays in view. */
export const SIZES = {
  chat: { width: 400, height: 600 },
  inbox: { width: 940, height: 600 },
  console: { width: 1360, height: 620 },
};
const STYLE = `
  body { margin: 0; padding: 20px; width: 1360px; background: #e9ebf0; display: flex; flex-wrap: wrap; gap: 20px; }
  img { border-radius: 8px; box-shadow: 0 1px 4px #0003; }`;

/** Shows the chat, the inbox and the console side by side: the picture of the README. */
export async function takePicture(pages: Record<keyof typeof SIZES, Page>, file: string): Promise<void> {
  const images = [];
  for (const [name, size] of Object.entries(SIZES)) {
    const page = pages[name as keyof typeof SIZES];
    const bytes = await page.screenshot({ animations: "disabled", caret: "hide" });
    images.push(`<img width="${size.width}" src="data:image/png;base64,${bytes.toString("base64")}">`);
  }
  const sheet = await pages.chat.context().newPage();
  await sheet.setViewportSize({ width: SIZES.console.width + 40, height: 1 });
  await sheet.setContent(`<!doctype html><style>${STYLE}</style><body>${images.join("")}`);
  await sheet.screenshot({ path: file, fullPage: true });
  await sheet.close();
}
