/** The token of an invitation's link: behind #, so that no server sees it. */
export function invitationIn({ pathname, hash }: { pathname: string; hash: string }): string | undefined {
  return pathname === "/console/join" && hash.startsWith("#sbi_") ? hash.slice(1) : undefined;
}
