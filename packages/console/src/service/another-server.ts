/** A stored secret stays with the server of its URL: for another server it must be entered again. */
export function isAnotherServer(stored: { url: string } | undefined, url: string): boolean {
  const [before, after] = [URL.parse(stored?.url ?? ""), URL.parse(url.trim())];
  return before !== null && after !== null && before.origin !== after.origin;
}
