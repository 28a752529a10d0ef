import { type CommandContext, type Option, UsageError } from "./command.ts";

/** How a receiver is spoken to. */
export const receiverOptions: readonly Option[] = [
  {
    name: "username",
    value: "NAME",
    summary: "Webhook username; SIGNALBOX_WEBHOOK_USERNAME by default",
  },
  { name: "secret", value: "SECRET", summary: "Webhook secret; SIGNALBOX_WEBHOOK_SECRET by default" },
  {
    name: "signing-secret",
    value: "WHSEC",
    summary: "Webhook signing secret; SIGNALBOX_SIGNING_SECRET by default",
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
    throw new UsageError("The receiver URL must start with http:// or https://");
  const signingSecret = options.text("signing-secret") ?? environment["SIGNALBOX_SIGNING_SECRET"];
  if (signingSecret !== undefined && !/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(signingSecret))
    throw new UsageError("The signing secret must be whsec_ followed by Base64, as Signalbox showed it");
  return {
    url,
    username: options.text("username") ?? environment["SIGNALBOX_WEBHOOK_USERNAME"],
    secret: options.text("secret") ?? environment["SIGNALBOX_WEBHOOK_SECRET"],
    signingSecret,
  };
}
