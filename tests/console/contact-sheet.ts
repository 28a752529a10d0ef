import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import type { Look } from "./console-tab.ts";
import { shownOn, type Shown } from "./screen-data.ts";
import { settled, tryQuestion, type Language } from "./screens.ts";
import type { AddTest, Stage } from "./stage.ts";

interface Picture extends Look {
  language: Language;
  path: (shown: Shown) => string;
  open?: (page: Page) => Promise<void>;
}

type PictureOf = (theme: Look["theme"], language: Language, path: Picture["path"]) => Picture;
const wide: PictureOf = (theme, language, path) => ({ theme, language, path, width: 1440 });
const narrow: PictureOf = (theme, language, path) => ({ theme, language, path, width: 360 });
const at = (path: string) => (shown: Shown) => `${path}?agent=${shown.full}`;
const delivery = (shown: Shown) => at(`/deliveries/${shown.delivery}`)(shown);
const conversation = (shown: Shown) => at(`/conversations/${shown.full}/${shown.conversation}`)(shown);
const inbox = (shown: Shown) => `/inbox?talk=${shown.inbox.talk}&agent=${shown.inbox.agent}`;

/** Both themes, both languages, the width of a desktop and of a phone. */
const ROWS: readonly (readonly Picture[])[] = [
  [wide("light", "en", inbox), wide("light", "en", delivery), wide("dark", "en", at("/deliveries"))],
  [
    wide("light", "en", conversation),
    narrow("dark", "zh-CN", delivery),
    narrow("light", "zh-CN", inbox),
    narrow("light", "en", at("/unanswered")),
    wide("dark", "zh-CN", at("/health")),
  ],
  [
    { ...wide("light", "zh-CN", at("/knowledge")), open: tryQuestion },
    wide("light", "en", at("/numbers")),
    wide("dark", "en", at("/endpoints")),
  ],
];

const WIDTH = 1640;
const STYLE = `
  body { margin: 0; padding: 20px; box-sizing: border-box; width: ${WIDTH}px; background: #e9ebf0; }
  div { display: flex; justify-content: space-between; margin-bottom: 20px; }
  div:last-of-type { margin-bottom: 0; }
  img { height: 325px; border-radius: 8px; box-shadow: 0 1px 4px #0003; object-fit: cover; object-position: top; }
  img.narrow { width: 163px; }`;

/** Where `npm run e2e -- --contact-sheet FILE` wants the picture. */
export const SHEET = process.env["SIGNALBOX_E2E_SHEET"];

export function contactSheet(it: AddTest): void {
  it("contact sheet", async (stage) => {
    const folder = join(stage.bed.directory, "contact-sheet");
    await mkdir(folder);
    const rows = [];
    for (const [row, pictures] of ROWS.entries()) {
      const images = [];
      for (const [column, picture] of pictures.entries()) {
        const file = join(folder, `${row}-${column}.png`);
        await takePicture(stage, picture, file);
        const kind = picture.width === 360 ? "narrow" : "wide";
        images.push(`<img class="${kind}" src="${pathToFileURL(file).href}">`);
      }
      rows.push(`<div>${images.join("")}</div>`);
    }
    await compose(stage, folder, rows.join(""));
  });
}

async function takePicture({ bed, tabOf }: Stage, picture: Picture, file: string): Promise<void> {
  const { language, theme, width, path, open } = picture;
  const shown = await shownOn(bed);
  const { cookie } = shown;
  await using tab = await tabOf({ operatorToken: undefined, cookie, language, theme, width, still: true });
  await tab.open(path(shown));
  await settled(tab);
  await open?.(tab.page);
  await settled(tab);
  await tab.page.screenshot({ path: file, animations: "disabled" });
}

async function compose({ tabOf }: Stage, folder: string, rows: string): Promise<void> {
  const file = join(folder, "index.html");
  await writeFile(file, `<!doctype html><meta charset="utf-8"><style>${STYLE}</style><body>${rows}`);
  await using tab = await tabOf({ operatorToken: undefined, width: WIDTH });
  await tab.page.goto(pathToFileURL(file).href);
  await tab.page.setViewportSize({ width: WIDTH, height: 1 });
  await tab.page.screenshot({ path: SHEET ?? "", fullPage: true });
}
