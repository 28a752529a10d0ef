import { callModel, describeModelFailure, type ModelAddress, type ModelFailure } from "./model-client.ts";
import { readWhole } from "./model-events.ts";
import type { Outbound } from "./outbound-http.ts";

export type SpeechFormat = "mp3" | "opus" | "aac" | "flac" | "wav";

export const SPEECH_TYPES: Readonly<Record<SpeechFormat, string>> = {
  mp3: "audio/mpeg",
  opus: "audio/ogg",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
};

const AUDIO_BYTES_MAX = 8 * 1_048_576;

export type SpeakResult = { kind: "spoken"; audio: Buffer } | ModelFailure;

/** One text aloud, whole: whoever listens gets it by an address, not as it is made. */
export async function speak(
  outbound: Pick<Outbound, "stream">,
  address: ModelAddress & { voice: string; format: SpeechFormat },
  text: string,
  signal?: AbortSignal,
): Promise<SpeakResult> {
  const { model, voice, format } = address;
  try {
    const body = { model, voice, input: text, response_format: format };
    const audio = await readWhole(
      await callModel(outbound, address, { path: "/audio/speech", body, signal }),
    );
    if (audio.length === 0) return { kind: "failed", cause: "malformed_reply", detail: "the reply is empty" };
    if (audio.length > AUDIO_BYTES_MAX)
      return { kind: "failed", cause: "malformed_reply", detail: `the reply has ${audio.length} bytes` };
    return { kind: "spoken", audio };
  } catch (error) {
    return describeModelFailure(error, signal);
  }
}
