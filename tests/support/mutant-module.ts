import { registerHooks } from "node:module";

/** One seeded mistake: in which file, and which words are put in place of which. */
export type Mutation = { file: string; find: string; replace: string };

let made = 0;

/**
 * Loads a module, and all that it imports from its own folder, with mistakes sown into the source. A mutation that finds
 * its words not exactly once is out of date and fails, so that no mutant can quietly be the original.
 */
export async function importMutant<Module>(moduleUrl: string, mutations: Mutation[]): Promise<Module> {
  made += 1;
  const mark = `mutant=${made}`;
  const folder = new URL("./", moduleUrl).href;
  const applied = new Set<Mutation>();
  const hooks = registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context);
      const isOurs = context.parentURL?.includes(mark) === true && resolved.url.startsWith(folder);
      return isOurs ? { ...resolved, url: `${resolved.url}?${mark}` } : resolved;
    },
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(mark)) return loaded;
      const here = mutations.filter(({ file }) => url.includes(`/${file}?`));
      for (const mutation of here) applied.add(mutation);
      return { ...loaded, source: mutated(textOf(loaded.source), here) };
    },
  });
  try {
    const module = (await import(`${moduleUrl}?${mark}`)) as Module;
    if (applied.size !== mutations.length) throw new Error("a mutation was in a file that was not loaded");
    return module;
  } finally {
    hooks.deregister();
  }
}

/** A mutation that finds its words not exactly once is out of date. */
export function mutated(source: string, mutations: Mutation[]): string {
  return mutations.reduce((text, { file, find, replace }) => {
    if (text.split(find).length !== 2) throw new Error(`${file} does not contain exactly once: ${find}`);
    return text.replace(find, () => replace);
  }, source);
}

export function textOf(source: unknown): string {
  if (typeof source === "string") return source;
  if (source instanceof Uint8Array) return Buffer.from(source).toString("utf8");
  throw new Error("a module without a source cannot be mutated");
}
