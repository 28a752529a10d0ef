import { refuse, type Refusal } from "../platform/index.ts";

/** WEBHOOK_HTTPS_ONLY, told to whoever configures a webhook and not only by deliveries that fail. */
export function refusePlainHttp(url: string | undefined, httpsOnly: boolean): Refusal | undefined {
  if (!httpsOnly || url === undefined || /^https:/i.test(url)) return undefined;
  return refuse(
    "badParameter",
    "url must begin with https: this service calls webhooks by https alone (WEBHOOK_HTTPS_ONLY)",
  );
}
