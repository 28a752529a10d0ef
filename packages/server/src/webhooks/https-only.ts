import { refuse, type Refusal } from "../platform/index.ts";

/** WEBHOOK_HTTPS_ONLY, reported when a webhook is configured, and not only by deliveries that fail. */
export function refusePlainHttp(url: string | undefined, httpsOnly: boolean): Refusal | undefined {
  if (!httpsOnly || url === undefined || /^https:/i.test(url)) return undefined;
  return refuse(
    "badParameter",
    "url must start with https:// because this service only calls webhooks over https (WEBHOOK_HTTPS_ONLY)",
  );
}
