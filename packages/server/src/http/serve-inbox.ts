import { WEBHOOK_HEADERS, type Acknowledged } from "@signalbox/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Refusal, refuse } from "../platform/index.ts";
import type { AddressLimit } from "./address-limit.ts";
import { sendRefusal } from "./failure-reply.ts";
import { JsonBody } from "./json-body.ts";

/** A call of 4.6 to 4.8 to the service's own inbox, with what proves who sent it. */
export interface ReceivedInboxCall {
  componentId: string;
  call: "establish" | "chat" | "close";
  signed: { id: string; timestamp: string; signature: string };
  bytes: Buffer;
  value: unknown;
}

export type ReceiveInboxCall = (call: ReceivedInboxCall) => Promise<Acknowledged | Refusal>;

const CALLS = { "conversation/establish": "establish", chat: "chat", "conversation/close": "close" } as const;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What a developer hosts for a desk of their own, the service hosts for its inbox: these are no routes of the API. */
export function serveInbox(
  http: FastifyInstance,
  receive: ReceiveInboxCall,
  addressLimit: AddressLimit,
): void {
  for (const [path, call] of Object.entries(CALLS))
    http.post<{ Params: { component_id: string } }>(
      `/inbox/v1/:component_id/${path}`,
      async (request, reply) => {
        const { component_id: componentId } = request.params;
        const body = request.body instanceof JsonBody ? request.body : undefined;
        const result =
          body === undefined || !UUID.test(componentId)
            ? refuse("developerAuth", "this call is not signed with the secret of this inbox")
            : await receive({
                componentId,
                call,
                signed: {
                  id: headerOf(request, WEBHOOK_HEADERS.id),
                  timestamp: headerOf(request, WEBHOOK_HEADERS.timestamp),
                  signature: headerOf(request, WEBHOOK_HEADERS.signature),
                },
                bytes: body.bytes,
                value: body.value,
              });
        if (!(result instanceof Refusal)) return reply.send(JSON.stringify(result));
        if (result.failure === "developerAuth") addressLimit.chargeFailedAuthentication(request);
        return sendRefusal(reply, result);
      },
    );
}

function headerOf({ headers }: FastifyRequest, name: string): string {
  const value = headers[name];
  return typeof value === "string" ? value : "";
}
