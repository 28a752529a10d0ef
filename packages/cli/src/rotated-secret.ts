import type { RotatedSigningSecret } from "@signalbox/contract";
import type { Option, Options } from "./command.ts";
import { type Output, timeText } from "./output.ts";
import { durationMs } from "./times.ts";

export const OVERLAP_OPTION: Option = {
  name: "overlap",
  value: "TIME",
  summary: "How long the old secret stays valid after rotate; 1d by default",
};

export function overlapOf(options: Options): { overlap_seconds?: number } {
  const overlap = options.text("overlap");
  return overlap === undefined ? {} : { overlap_seconds: durationMs(overlap, "--overlap") / 1000 };
}

export function tellPublicKey(output: Output, { public_key }: { public_key: string | null }): void {
  if (public_key !== null) output.note(`Public key, which verifies v1a signatures: ${public_key}`);
}

export function tellRotated(output: Output, rotated: RotatedSigningSecret): void {
  output.line(rotated.signing_secret);
  const until = timeText(rotated.previous_expire_time);
  output.note(
    until === ""
      ? "This is the new signing secret. Store it now: it is not shown again. The old one is no longer used."
      : `This is the new signing secret. Store it now: it is not shown again. The old one stays valid until ${until} UTC.`,
  );
  tellPublicKey(output, rotated);
}
