import type { CallKind } from "./calls.ts";

export interface OutgoingAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

function answerWith(status: number, body: object, headers: Record<string, string> = {}): OutgoingAnswer {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}

/** Sections 4.5 to 4.8: a message is acknowledged with `msg`, everything else with `message`. */
export function acknowledge(kind: CallKind): OutgoingAnswer {
  return kind === "message"
    ? answerWith(200, { code: 200, msg: "success" })
    : answerWith(200, { code: 200, message: "success" });
}

/** Section 4.6: anything but 200 hands the user back. A 5xx or 429 would also count as a failing webhook. */
export function refuseAsBusy(): OutgoingAnswer {
  return answerWith(409, { code: 409, message: "busy" });
}

export function refuse(status: number, message: string, headers?: Record<string, string>): OutgoingAnswer {
  return answerWith(status, { code: status, message }, headers);
}
