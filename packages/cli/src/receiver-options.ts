import { type CommandContext, type Option, UsageError } from "./command.ts";

/** How a receiver is spoken to. */
export const receiverOptions: readonly Option[] = [
  {
    name: "username",
    value: "NAME",
    summary: "The webhook's username; otherwise SIGNALBOX_WEBHOOK_USERNAME",
  },
  { name: "secret", value: "SECRET", summary: "The webhook's secret; otherwise SIGNALBOX_WEBHOOK_SECRET" },
  {
    name: "signing-secret",
    value: "WHSEC",
    summary: "The webhook's signing secret; otherwise SIGNALBOX_SIGNING_SECRET",
  },
];

export interface ReceiverAddress {
  url: string;
  username: string | undefined;
  secret: string | undefined;
  signingSecret: string | undefined;
}

export function readReceiver(
  url: string,
  { options, environment }: Pick<CommandContext, "options" | "environment">,
): ReceiverAddress {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError("the receiver's address must start with http:// or https://");
  const signingSecret = options.text("signing-secret") ?? environment["SIGNALBOX_SIGNING_SECRET"];
  if (signingSecret !== undefined && !/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(signingSecret))
    throw new UsageError("a signing secret is whsec_ and base64, as the service shows it once");
  return {
    url,
    username: options.text("username") ?? environment["SIGNALBOX_WEBHOOK_USERNAME"],
    secret: options.text("secret") ?? environment["SIGNALBOX_WEBHOOK_SECRET"],
    signingSecret,
  };
}
