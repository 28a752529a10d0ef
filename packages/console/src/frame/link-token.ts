const LINKS = { join: "#sbi_", reset: "#sbr_" };

/** The token of an invitation's link, or of one that resets a password: behind #, so that no server sees it. */
export function linkTokenIn(
  { pathname, hash }: { pathname: string; hash: string },
  link: keyof typeof LINKS,
): string | undefined {
  return pathname === `/console/${link}` && hash.startsWith(LINKS[link]) ? hash.slice(1) : undefined;
}
