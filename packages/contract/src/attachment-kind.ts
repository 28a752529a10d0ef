import type { MessageAttachment } from "./attachments.ts";

const KINDS: readonly [MessageAttachment["type"], RegExp][] = [
  ["image", /\.(?:avif|gif|jpe?g|png|svg|webp)$/i],
  ["audio", /\.(?:aac|flac|m4a|mp3|oga|ogg|opus|wav)$/i],
];

/** A file that a person names by its URL alone: its kind by its ending, and its name unless one is given. */
export function attachmentAt(url: string, name = ""): MessageAttachment {
  const path = pathOf(url);
  const shown = name.trim() === "" ? (path.split("/").at(-1) ?? "") : name.trim();
  const kind = KINDS.find(([, ending]) => ending.test(path))?.[0] ?? "document";
  return { type: kind, url, ...(shown === "" ? {} : { name: shown.slice(0, 200) }) };
}

function pathOf(url: string): string {
  try {
    return decodeURIComponent(new URL(url).pathname);
  } catch {
    return "";
  }
}
