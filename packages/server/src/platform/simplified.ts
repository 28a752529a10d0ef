import { SIMPLIFIED, TRADITIONAL } from "./simplified.generated.ts";

/** By the code of the Traditional character; 0 where nothing changes. */
const SIMPLIFIED_OF = new Uint16Array(0x1_0000);
for (let at = 0; at < TRADITIONAL.length; at += 1)
  SIMPLIFIED_OF[TRADITIONAL.charCodeAt(at)] = SIMPLIFIED.charCodeAt(at);

/** Character by character: what is stored and what is asked are read by the same rule, so a phrase needs no table. */
export function simplified(text: string): string {
  let [read, done] = ["", 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = SIMPLIFIED_OF[text.charCodeAt(at)] ?? 0;
    if (code === 0) continue;
    read += text.slice(done, at) + String.fromCharCode(code);
    done = at + 1;
  }
  return done === 0 ? text : read + text.slice(done);
}
