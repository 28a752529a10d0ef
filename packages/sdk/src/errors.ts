import type { FAILURES, FailureName } from "@signalbox/contract";

/** The service answered, and the answer is a failure. */
export class SignalboxError extends Error {
  override readonly name = "SignalboxError";
  readonly status: number;
  /** The code of the failure body; undefined when something else answered in the service's place, such as a proxy. */
  readonly code: number | undefined;
  readonly failureName: FailureName | undefined;
  /** Names this request in the service's log. */
  readonly requestId: string | undefined;

  constructor(
    message: string,
    answer: {
      status: number;
      code?: number | undefined;
      failureName?: FailureName | undefined;
      requestId?: string | undefined;
    },
  ) {
    super(message);
    this.status = answer.status;
    this.code = answer.code;
    this.failureName = answer.failureName;
    this.requestId = answer.requestId;
  }
}

/** No answer came: the address is wrong, the network failed or time ran out, and repeating did not help. */
export class SignalboxConnectionError extends Error {
  override readonly name = "SignalboxConnectionError";
  /** How often the request was sent. */
  readonly attempts: number;

  constructor(message: string, { attempts, cause }: { attempts: number; cause: unknown }) {
    super(message, { cause });
    this.attempts = attempts;
  }
}

/** The client was given no key or token for this call; nothing was sent. */
type Credential = "apiKey" | "chatToken" | "operatorToken";

export class MissingCredentialError extends TypeError {
  override readonly name = "MissingCredentialError";
  /** What to give to `createClient`. */
  readonly setting: Credential;

  constructor(call: string, setting: Credential) {
    super(`${call} requires ${setting}. Pass it to createClient`);
    this.setting = setting;
  }
}

/** An error of the service with this name, and so with its code. */
export type FailureNamed<Name extends FailureName> = SignalboxError & {
  failureName: Name;
  code: (typeof FAILURES)[Name]["code"];
};

/** Whether this is the failure of that name: `if (isFailure(error, "stateConflict")) ...`. */
export function isFailure<Name extends FailureName>(error: unknown, name: Name): error is FailureNamed<Name> {
  return error instanceof SignalboxError && error.failureName === name;
}
