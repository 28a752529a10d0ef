/** What a script may rely on. */
export const EXIT_CODES = {
  ok: { code: 0, meaning: "It worked, and what was looked at is well" },
  notWell: { code: 1, meaning: "It worked, and what was looked at is not well; or the service refused" },
  usage: { code: 2, meaning: "The command line is not right; nothing was done" },
  noAnswer: { code: 3, meaning: "The service did not answer" },
  notAllowed: { code: 4, meaning: "The key or token is missing, wrong, expired or revoked" },
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES]["code"];

export function exitCodeFor(isWell: boolean): ExitCode {
  return isWell ? EXIT_CODES.ok.code : EXIT_CODES.notWell.code;
}
