const FREQUENCY_HZ = 660;
const SECONDS = 0.18;

/** Two short tones, made by the browser: no file to load, nothing for a content security policy to forbid. */
export function createChime(): () => void {
  let audio: AudioContext | undefined;
  return () => {
    try {
      audio ??= new AudioContext();
      const from = audio.currentTime;
      for (const [at, times] of [
        [0, 1],
        [SECONDS / 2, 1.5],
      ] as const) {
        const tone = audio.createOscillator();
        const volume = audio.createGain();
        tone.frequency.value = FREQUENCY_HZ * times;
        volume.gain.setValueAtTime(0.08, from + at);
        volume.gain.exponentialRampToValueAtTime(0.001, from + at + SECONDS);
        tone.connect(volume).connect(audio.destination);
        tone.start(from + at);
        tone.stop(from + at + SECONDS);
      }
    } catch {
      // A browser without sound costs nobody a message.
    }
  };
}
