import { CONTRACT_VERSION } from "@signalbox/contract";

/** So that a caller can be found in the service's log. A browser names itself, and across origins it may send no other. */
export function userAgent(): Record<string, string> {
  const isBrowser = "document" in globalThis || "importScripts" in globalThis;
  return isBrowser ? {} : { "user-agent": `signalbox-sdk/${CONTRACT_VERSION}` };
}
