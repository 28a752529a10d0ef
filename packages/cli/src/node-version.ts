import process from "node:process";

/** What @signalbox/server and @signalbox/dev name in their `engines`. */
const SERVICE_NODE = 24;

/** The rest of this program runs on older versions too, and npm's warning about a package's version is easily missed. */
export function refuseOldNode(command: string, version = process.versions.node): string | undefined {
  return Number.parseInt(version, 10) >= SERVICE_NODE
    ? undefined
    : `signalbox ${command} needs Node ${SERVICE_NODE} or newer, and this is Node ${version}. Install Node ${SERVICE_NODE} (https://nodejs.org/en/download), then run the command again.`;
}
