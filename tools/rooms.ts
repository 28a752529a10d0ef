import { dirname, posix, relative, sep } from "node:path";

/** Which room may import which, once: no other arrow exists. docs/explanation/architecture.md draws the same picture. */
export const ARROWS: Readonly<Record<string, readonly string[]>> = {
  // packages/server/src: three files, then the rooms
  main: ["compose", "config"],
  compose: [
    "config",
    "http",
    "mcp",
    "accounts",
    "live",
    "inbox",
    "privacy",
    "numbers",
    "conversations",
    "handoff",
    "answering",
    "knowledge",
    "delivery",
    "webhooks",
    "agents",
    "engine",
    "platform",
    "contract",
  ],
  config: ["contract"],
  http: ["platform", "contract"],
  mcp: ["platform", "contract"],
  accounts: ["agents", "platform", "contract"],
  live: ["conversations", "handoff", "answering", "engine", "platform", "contract"],
  inbox: ["accounts", "conversations", "handoff", "webhooks", "agents", "engine", "platform", "contract"],
  privacy: ["handoff", "delivery", "agents", "engine", "platform", "contract"],
  numbers: ["knowledge", "agents", "engine", "platform", "contract"],
  conversations: ["answering", "handoff", "delivery", "agents", "engine", "platform", "contract"],
  handoff: ["delivery", "agents", "engine", "platform", "contract"],
  answering: ["knowledge", "agents", "engine", "platform", "contract"],
  knowledge: ["agents", "engine", "platform", "contract"],
  delivery: ["webhooks", "engine", "platform", "contract"],
  webhooks: ["agents", "platform", "contract"],
  agents: ["platform", "contract"],
  engine: ["platform", "contract"],
  platform: ["contract"],
  // what the server's package lends to others: the dry run of an import, and the key pair of Restate's signatures
  "server/dry-run": [],
  "server/identity-key": [],
  // the other packages and folders
  contract: [],
  sdk: ["contract"],
  cli: ["sdk", "contract", "dev", "server/dry-run"],
  dev: ["sdk", "contract", "desk", "server/identity-key"],
  console: ["sdk", "contract"],
  widget: ["sdk", "contract"],
  tests: ["sdk", "contract"],
  // plays histories over the real transactions, without the processes around them
  histories: [
    "live",
    "inbox",
    "privacy",
    "conversations",
    "handoff",
    "answering",
    "knowledge",
    "delivery",
    "webhooks",
    "agents",
    "engine",
    "platform",
    "tests",
    "contract",
  ],
  bench: ["knowledge", "platform", "tests", "sdk", "contract"],
  examples: ["sdk", "contract"],
  desk: ["sdk", "contract"],
  tools: ["config", "platform", "tests", "cli", "contract"],
};

const ROOMS = ARROWS["compose"]!.filter((place) => place !== "config" && place !== "contract");
const TOP_FOLDERS = ["tests", "bench", "tools", "examples"];

/** A test beside its file speaks to the running service, and may look at any room as a stranger would. */
const ALSO_FOR_TESTS_OF_THE_SERVER = [...ROOMS, "config", "sdk", "tests"];

/** The contract is shipped to browsers and to developers: what it needs, they all install. */
const ONLY_LIBRARIES: Readonly<Record<string, readonly string[]>> = { contract: ["zod"] };

const READS_ENVIRONMENT = ["packages/server/src/main.ts", "packages/cli/src/main.ts"];
const NAMES_THAT_SAY_NOTHING = ["utils", "util", "helpers", "helper", "common", "lib", "types"];

const isTest = (path: string) => path.endsWith(".test.ts");
const isServer = (path: string) => path.startsWith("packages/server/src/");

/** The row of the table a file of the repository belongs to; undefined where no arrows are drawn. */
export function placeOf(path: string): string | undefined {
  const [top = "", name = "", source, first = "", ...deeper] = path.split("/");
  if (top === "tests" && name === "histories") return name;
  if (TOP_FOLDERS.includes(top)) return top;
  if (top !== "packages") return undefined;
  if (name !== "server") return name;
  if (source !== "src") return undefined;
  return deeper.length === 0 ? first.replace(/(\.test)?\.ts$/, "") : first;
}

/** Why this file has no place in the house, or undefined. */
export function refusePlace(path: string): string | undefined {
  const place = placeOf(path);
  if (place === undefined || Object.hasOwn(ARROWS, place)) return undefined;
  if (!isServer(path)) return `${place} has no arrows: give it a row in the table of tools/rooms.ts`;
  return path.split("/").length === 4
    ? `packages/server/src holds only main.ts, compose.ts and config.ts: move this file into the room whose job it does`
    : `${place} is not a room: move this file into one, or give ${place} a row in the table of tools/rooms.ts`;
}

/** Why `path` may not import `specifier`, with what to do instead, or undefined when it may. */
export function refuseImport(path: string, specifier: string): string | undefined {
  const from = placeOf(path);
  if (from === undefined || !Object.hasOwn(ARROWS, from)) return undefined;
  const target = targetOf(path, specifier);
  if (target === undefined) return refuseLibrary(path, from, specifier);
  const { place: to, file } = target;
  if (to === from) return undefined;
  if (to === undefined) return `import nothing from ${file}: it stands outside the rooms`;

  const allowed = [...ARROWS[from]!, ...(isTest(path) && isServer(path) ? ALSO_FOR_TESTS_OF_THE_SERVER : [])];
  if (!allowed.includes(to)) {
    const instead = isServer(path)
      ? "take what you need as an argument and let compose.ts hand it over"
      : "go through the service's sockets or move the code";
    return `${from} may not import ${to} (it may import ${list(allowed)}): ${instead}; the table is in tools/rooms.ts`;
  }
  return file === undefined ? undefined : refuseDoor(from, to, file);
}

function targetOf(path: string, specifier: string): { place: string | undefined; file?: string } | undefined {
  if (specifier.startsWith(".")) {
    const file = posix.join(posix.dirname(path), specifier);
    return { place: placeOf(file), file };
  }
  const [scope, name, door] = specifier.split("/");
  if (scope !== "@signalbox") return undefined;
  return { place: name === "server" && door !== undefined ? `${name}/${door}` : name };
}

function refuseLibrary(path: string, from: string, specifier: string): string | undefined {
  const libraries = ONLY_LIBRARIES[from];
  if (libraries === undefined || isTest(path)) return undefined;
  const isListed = libraries.some((library) => specifier === library || specifier.startsWith(`${library}/`));
  return isListed
    ? undefined
    : `${from} may import no library but ${list(libraries)}: move this code to a room that may`;
}

function refuseDoor(from: string, to: string, file: string): string | undefined {
  if (ROOMS.includes(to)) {
    const door = `packages/server/src/${to}/index.ts`;
    return file === door
      ? undefined
      : `enter ${to} through ${door}: export what you need there and import that`;
  }
  const isPlainFolder = from === "tools" || from === "bench";
  if (to === "tests" && isPlainFolder && file.startsWith("tests/support/")) return undefined;
  if (to === "config" || to === "compose") return undefined;
  if (isPlainFolder && file === `packages/${to}/src/index.ts`) return undefined;
  return to === "tests"
    ? `import from @signalbox/tests/support/`
    : `import from @signalbox/${to}, not by its path`;
}

/** Why this file may not read the environment, or undefined. */
export function refuseEnvironment(path: string): string | undefined {
  if (READS_ENVIRONMENT.includes(path) || isTest(path) || !path.startsWith("packages/")) return undefined;
  return "only the main.ts of the server and of the command line read the environment: take the value as an argument, and describe the setting in config/ if it is the service's";
}

/** Why the name of this file or of a folder above it is refused, or undefined. */
export function refuseName(path: string): string | undefined {
  const names = path.split("/").map((part) => part.split(".")[0] ?? "");
  const empty = names.find((name) => NAMES_THAT_SAY_NOTHING.includes(name));
  return empty === undefined
    ? undefined
    : `${empty} says nothing: name it after what it holds, or move the code to where it is used`;
}

export function mustOnlyReexport(path: string): boolean {
  return path.startsWith("packages/") && posix.basename(path) === "index.ts";
}

function list(names: readonly string[]): string {
  return names.length === 0 ? "nothing of ours" : names.join(", ");
}

type Node = { type: string; [key: string]: unknown };
type Context = { filename: string; report(found: { node: Node; message: string }): void };
type Visitor = Record<string, (node: Node) => void>;

const root = dirname(import.meta.dirname);

function rule(visit: (path: string, report: (node: Node, message: string | undefined) => void) => Visitor) {
  return {
    create(context: Context): Visitor {
      const path = relative(root, context.filename).split(sep).join("/");
      return visit(path, (node, message) => {
        if (message !== undefined) context.report({ node, message });
      });
    },
  };
}

const arrows = rule((path, report) => {
  const checkSource = (node: Node) => {
    const source = node["source"] as { value?: unknown } | null | undefined;
    if (typeof source?.value === "string") report(node, refuseImport(path, source.value));
  };
  return {
    Program: (node) => report(node, refusePlace(path)),
    ImportDeclaration: checkSource,
    ExportNamedDeclaration: checkSource,
    ExportAllDeclaration: checkSource,
    ImportExpression: checkSource,
    TSImportType: checkSource,
  };
});

const oneEnvReader = rule((path, report) => {
  const refusal = refuseEnvironment(path);
  if (refusal === undefined) return {};
  const isNamed = (node: unknown, name: string) => {
    const { name: plain, value } = (node ?? {}) as { name?: unknown; value?: unknown };
    return plain === name || value === name;
  };
  return {
    MemberExpression(node) {
      if (isNamed(node["object"], "process") && isNamed(node["property"], "env")) report(node, refusal);
    },
    VariableDeclarator(node) {
      const { properties = [] } = node["id"] as { properties?: { key?: unknown }[] };
      if (isNamed(node["init"], "process") && properties.some(({ key }) => isNamed(key, "env")))
        report(node, refusal);
    },
    ImportDeclaration(node) {
      const { value } = node["source"] as { value: string };
      if (value !== "node:process" && value !== "process") return;
      const specifiers = node["specifiers"] as { imported?: unknown }[];
      if (specifiers.some(({ imported }) => isNamed(imported, "env"))) report(node, refusal);
    },
  };
});

const fileNames = rule((path, report) => ({
  Program(node) {
    report(node, refuseName(path));
    if (!mustOnlyReexport(path)) return;
    for (const statement of node["body"] as Node[]) {
      const isReexport = statement.type.startsWith("Export") && Boolean(statement["source"]);
      if (!isReexport)
        report(
          statement,
          "index.ts only re-exports: move this into a file named after its job and write `export ... from` here",
        );
    }
  },
}));

export default {
  meta: { name: "rooms" },
  rules: { arrows, "one-env-reader": oneEnvReader, "file-names": fileNames },
};
