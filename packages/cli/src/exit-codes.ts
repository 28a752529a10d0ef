/** What a script may rely on. */
export const EXIT_CODES = {
  ok: { code: 0, meaning: "Success" },
  notWell: { code: 1, meaning: "A check failed, or the service rejected the request" },
  usage: { code: 2, meaning: "Invalid command line; nothing was done" },
  noAnswer: { code: 3, meaning: "The service could not be reached" },
  notAllowed: {
    code: 4,
    meaning: "The API key or operator token is missing, invalid, expired or revoked, or lacks a scope",
  },
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES]["code"];

export function exitCodeFor(isWell: boolean): ExitCode {
  return isWell ? EXIT_CODES.ok.code : EXIT_CODES.notWell.code;
}
