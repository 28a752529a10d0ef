import { callModel, describeModelFailure, type ModelAddress, type ModelFailure } from "./model-client.ts";
import { readWhole } from "./model-events.ts";
import { unmetered, type ModelCalls } from "./model-quota.ts";
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

export interface SpokenModel {
  speak(text: string, signal?: AbortSignal): Promise<SpeakResult>;
}

type SpeechAddress = ModelAddress & { voice: string; format: SpeechFormat };

export function openSpeechModel(
  outbound: Pick<Outbound, "stream">,
  address: SpeechAddress,
  { meter }: ModelCalls = unmetered(),
): SpokenModel {
  return {
    speak: (text, signal) =>
      meter({
        kind: "speech",
        isFailing: address.isFailing === true,
        make: () => speak(outbound, address, text, signal),
        // A voice is paid by the character.
        tokensOf: () => 0,
        waitMs: address.timeoutMs,
        signal,
      }),
  };
}

/** One text aloud, whole: a listener fetches it from an address, not as it is made. */
async function speak(
  outbound: Pick<Outbound, "stream">,
  address: SpeechAddress,
  text: string,
  signal: AbortSignal | undefined,
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
