import { isFailure, MissingCredentialError, SignalboxConnectionError, SignalboxError } from "@signalbox/sdk";
import { EXIT_CODES } from "./exit-codes.ts";

export interface ToldFailure {
  text: string;
  /** Fields beside the text with --json. */
  fields: object;
  exitCode: (typeof EXIT_CODES)["notWell" | "noAnswer" | "notAllowed"]["code"];
}

/** What to say of an error that is part of the trade; undefined when it is a bug of ours. */
export function describeFailure(error: unknown): ToldFailure | undefined {
  if (error instanceof SignalboxConnectionError)
    return {
      text: `Cannot reach the service (${error.message}). Run signalbox doctor to find out why.`,
      fields: {},
      exitCode: EXIT_CODES.noAnswer.code,
    };
  if (error instanceof SignalboxError) {
    const { code, status, requestId: request_id } = error;
    return {
      text: `${error.message}${code === undefined ? "" : ` (${code})`}`,
      fields: { code, status, request_id },
      exitCode:
        isFailure(error, "developerAuth") || isFailure(error, "missingScope")
          ? EXIT_CODES.notAllowed.code
          : EXIT_CODES.notWell.code,
    };
  }
  if (error instanceof MissingCredentialError)
    return {
      text:
        error.setting === "apiKey"
          ? "Missing API key. Give it with --api-key or SIGNALBOX_API_KEY."
          : "Missing operator token. Run signalbox login, or give it with --operator-token or SIGNALBOX_OPERATOR_TOKEN.",
      fields: {},
      exitCode: EXIT_CODES.notAllowed.code,
    };
  return undefined;
}
