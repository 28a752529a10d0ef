import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { shownOn, type Shown } from "./screen-data.ts";
import { settled, tryQuestion } from "./screens.ts";
import type { AddTest, Stage } from "./stage.ts";

interface Picture {
  path: (shown: Shown) => string;
  open?: (page: Page) => Promise<void>;
}

/** By name of the file. Narrow enough to be read in the width of a page. */
const PICTURES: Readonly<Record<string, Picture>> = {
  inbox: { path: ({ inbox }) => `/inbox?talk=${inbox.talk}&agent=${inbox.agent}` },
  delivery: { path: ({ delivery, full }) => `/deliveries/${delivery}?agent=${full}` },
  "try-it": { path: ({ full }) => `/knowledge?agent=${full}`, open: tryQuestion },
};
const WIDTH = 1280;

/** The folder in which `npm run e2e -- --pictures FOLDER` wants the pictures of the README. */
export const PICTURES_FOLDER = process.env["SIGNALBOX_E2E_PICTURES"];

export function readmePictures(it: AddTest): void {
  it("pictures of the README", async (stage) => {
    const folder = PICTURES_FOLDER ?? "";
    await mkdir(folder, { recursive: true });
    for (const [name, picture] of Object.entries(PICTURES))
      await takePicture(stage, picture, join(folder, `${name}.png`));
  });
}

async function takePicture({ bed, tabOf }: Stage, { path, open }: Picture, file: string): Promise<void> {
  const shown = await shownOn(bed);
  const { cookie } = shown;
  await using tab = await tabOf({
    operatorToken: undefined,
    cookie,
    language: "en",
    theme: "light",
    width: WIDTH,
    still: true,
  });
  await tab.open(path(shown));
  await settled(tab);
  await open?.(tab.page);
  await settled(tab);
  await tab.page.screenshot({ path: file, animations: "disabled" });
}
