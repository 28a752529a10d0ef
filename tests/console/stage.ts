import type { Bed } from "@signalbox/tests/support/bed.ts";
import type { OidcTestProvider } from "@signalbox/tests/support/oidc-provider.ts";
import type { Browser } from "playwright-core";
import { openTab, type ConsoleTab, type TabOptions } from "./console-tab.ts";

/** What all of it shares: one service, one browser, and tabs, which are signed in unless told otherwise. */
export interface Stage {
  bed: Bed;
  /** The identity provider that the service knows. */
  provider: OidcTestProvider;
  tabOf: (options?: Partial<TabOptions>) => Promise<ConsoleTab>;
}

/** Adds a test to the file it is called in, which is the one that is reported. */
export type AddTest = (title: string, run: (stage: Stage) => Promise<void>) => void;

export function createStage(browser: Browser, bed: Bed, provider: OidcTestProvider): Stage {
  const { baseUrl, operatorToken } = bed;
  return { bed, provider, tabOf: (options) => openTab(browser, { baseUrl, operatorToken, ...options }) };
}
