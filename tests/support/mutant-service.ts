import { registerHooks } from "node:module";
import { mutated, textOf } from "./mutant-module.ts";
import type { Mutation } from "./mutant-module.ts";

export const MUTATIONS_VARIABLE = "SIGNALBOX_TEST_MUTATIONS";
const FOLDER = new URL("../../packages/server/src/", import.meta.url).href;
const MARK = "mutated:";

/** What a service process is given so that it runs with these mistakes in its source. */
export function mutantEnvironment(mutations: Mutation[]): Record<string, string> {
  return { NODE_OPTIONS: `--import=${import.meta.url}`, [MUTATIONS_VARIABLE]: JSON.stringify(mutations) };
}

/** The mistakes that a process says it runs with: a mutant that is the original would prove nothing. */
export function mutationsIn(log: string): string[] {
  return log.split("\n").flatMap((line) => (line.startsWith(MARK) ? [line.slice(MARK.length)] : []));
}

const given = process.env[MUTATIONS_VARIABLE];
if (given !== undefined) {
  const mutations = JSON.parse(given) as Mutation[];
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const here = mutations.filter(({ file }) => url === `${FOLDER}${file}`);
      if (here.length === 0) return loaded;
      const source = mutated(textOf(loaded.source), here);
      for (const { file } of here) process.stderr.write(`${MARK}${file}\n`);
      return { ...loaded, source };
    },
  });
}
