import { chardet } from "jschardet";

/** By how much a charset of old systems must be the likelier one. */
const RARE_NEEDS_MORE = 0.05;

/** Today's charsets are tried first: a few letters fit a dozen charsets of old Macs and DOS just as well. */
export function guessCharset(sample: Buffer): { encoding: string | null; confidence: number } {
  const { MODERN_WEB, ALL } = chardet.EncodingEra;
  const common = chardet.detect(sample, { encodingEra: MODERN_WEB });
  const any = chardet.detect(sample, { encodingEra: ALL });
  return any.confidence > common.confidence + RARE_NEEDS_MORE ? any : common;
}
