import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openBed } from "@signalbox/tests/support/bed.ts";
import { openChromium } from "@signalbox/tests/support/chromium.ts";
import { startOidcProvider } from "@signalbox/tests/support/oidc-provider.ts";
import { accessJourneys } from "./access-journeys.ts";
import { chosenAgentJourneys } from "./chosen-agent-journeys.ts";
import { PICTURES_FOLDER, readmePictures } from "./readme-pictures.ts";
import { initialBytes, inlineParts } from "./files.ts";
import { healthJourneys } from "./health-journeys.ts";
import { importJourneys } from "./import-journeys.ts";
import { inboxDayJourneys } from "./inbox-day-journeys.ts";
import { inboxJourneys } from "./inbox-journeys.ts";
import { inboxLiveJourneys } from "./inbox-live-journeys.ts";
import { inboxTeamJourneys } from "./inbox-team-journeys.ts";
import { integrationJourneys } from "./integration-journeys.ts";
import { journeys } from "./journeys.ts";
import { leadJourneys } from "./lead-journeys.ts";
import { modelJourneys } from "./model-journeys.ts";
import { memberJourneys } from "./member-journeys.ts";
import { passkeyJourneys } from "./passkey-journeys.ts";
import { countedAgent, numbersJourneys } from "./numbers-journeys.ts";
import { doorScreens } from "./door-screens.ts";
import { IS_WHOLE, shownOn } from "./screen-data.ts";
import { screens } from "./screens.ts";
import { tagJourneys } from "./tag-journeys.ts";
import { workbenchJourneys } from "./workbench-journeys.ts";
import { threeHumansJourneys } from "./three-humans.ts";
import { createStage, type AddTest, type Stage } from "./stage.ts";
import { tally } from "./tally.ts";

const BUNDLER = join(import.meta.dirname, "../../packages/console/bundle.ts");
const INITIAL_MAX_BYTES = 250_000;

/** One service and one browser for all of it; `npm run e2e` looks at every screen in every look. */
describe("console", { timeout: IS_WHOLE ? 3_600_000 : 1_200_000 }, () => {
  const closing = new AsyncDisposableStack();
  let stage: Stage;
  let page: string;

  before(async () => {
    page = execFileSync(process.execPath, [BUNDLER, "--if-changed"], { encoding: "utf8" }).trim();
    const provider = closing.use(await startOidcProvider());
    const environment = { ...provider.environment, OIDC_LABEL: "Example ID" };
    const [browser, bed] = await Promise.all([openChromium(), openBed({ apis: 1, workers: 1, environment })]);
    closing.use(bed);
    closing.defer(() => browser.close());
    stage = createStage(browser, bed, provider);
    // A test that needs one of these awaits it, and hears why it failed.
    void Promise.allSettled([countedAgent(bed), shownOn(bed)]);
  });
  after(() => closing.disposeAsync());
  const add: AddTest = (title, run) => void it(title, () => run(stage));

  it("the console needs at most 250 kB of JavaScript, gzipped, before the first screen", () => {
    const bytes = initialBytes(page);
    tally({ jsBytes: bytes });
    console.log(`# console: ${(bytes / 1000).toFixed(1)} kB gzipped before the first screen`);
    assert.ok(bytes > 0 && bytes <= INITIAL_MAX_BYTES, `${bytes} bytes`);
  });

  it("the console loads nothing from elsewhere and holds no inline script or style", () => {
    assert.deepEqual(inlineParts(page), []);
  });

  describe("journeys in Chromium", () => {
    accessJourneys(add);
    chosenAgentJourneys(add);
    integrationJourneys(add);
    healthJourneys(add);
    journeys(add);
    importJourneys(add);
    inboxJourneys(add);
    inboxDayJourneys(add);
    inboxLiveJourneys(add);
    inboxTeamJourneys(add);
    threeHumansJourneys(add);
    workbenchJourneys(add);
    leadJourneys(add);
    tagJourneys(add);
    modelJourneys(add);
    numbersJourneys(add);
    memberJourneys(add);
    passkeyJourneys(add);
  });
  describe("screens in Chromium", () => {
    screens(add);
    doorScreens(add);
  });
  if (PICTURES_FOLDER !== undefined) readmePictures(add);
});
