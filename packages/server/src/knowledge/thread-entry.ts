/** The module a thread runs: packed, every module ends with .js, and the compiler does not look into names. */
export function threadEntry(entry: URL): URL {
  return import.meta.url.endsWith(".js") ? new URL(entry.href.replace(/\.ts$/, ".js")) : entry;
}
