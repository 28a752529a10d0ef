import { z } from "zod";

/** Everything a caller can be told has gone wrong. The HTTP status is the first three digits of the code. */
export const FAILURES = {
  badParameter: { code: 40000, status: 400, message: "Parameter error" },
  wrongPassword: { code: 40010, status: 400, message: "Wrong password" },
  signInExpired: { code: 40110, status: 401, message: "Sign-in expired" },
  noAccount: { code: 40111, status: 401, message: "No account for this sign-in" },
  developerAuth: { code: 40127, status: 401, message: "Developer authentication failed" },
  missingScope: { code: 40300, status: 403, message: "Permission denied" },
  unknownConversation: { code: 40356, status: 403, message: "Conversation does not exist" },
  foreignConversation: { code: 40358, status: 403, message: "Conversation belongs to another user" },
  agentDeleted: { code: 40378, status: 403, message: "Agent deleted" },
  notFound: { code: 40401, status: 404, message: "Not found" },
  stateConflict: { code: 40900, status: 409, message: "State conflict" },
  tooLarge: { code: 41300, status: 413, message: "Request too large" },
  tooManyRequests: { code: 42900, status: 429, message: "Too many requests" },
  internal: { code: 50000, status: 500, message: "Internal system error" },
  notAccepting: { code: 50300, status: 503, message: "Not accepting requests" },
} as const;

export type FailureName = keyof typeof FAILURES;

export const FAILURE_NAMES = Object.keys(FAILURES) as FailureName[];

export const Failure = z
  .object({
    code: z
      .int()
      .describe("One of the codes in docs/reference/errors; its first three digits are the HTTP status"),
    message: z.string().describe("The code's fixed text, often followed by what to do next"),
  })
  .meta({ id: "Failure" });
export type Failure = z.output<typeof Failure>;

export function failureBody(name: FailureName, advice?: string): Failure {
  const { code, message } = FAILURES[name];
  return { code, message: advice === undefined ? message : `${message}: ${advice}` };
}

export function failureNameOf(code: number): FailureName | undefined {
  return FAILURE_NAMES.find((name) => FAILURES[name].code === code);
}
