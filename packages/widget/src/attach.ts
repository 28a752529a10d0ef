import { element, icon } from "./dom.ts";
import type { Attachment } from "./transport.ts";
import type { Words } from "./words.ts";

/** Puts a file where the desk can open it, and gives its address. The page brings it: the service keeps no files of users. */
export type Upload = (file: File) => Promise<{ url: string; name?: string }>;

export const CLIP = "M8 12.5l5.5-5.5a3 3 0 0 1 4.2 4.2l-7.7 7.7a5 5 0 0 1-7-7L10.5 4.5";

/** A button that lets the user choose a file and sends its address. `status` says how it goes. */
export function createAttach(
  words: Words,
  upload: Upload,
  send: (attachment: Attachment) => void,
): { button: HTMLElement; input: HTMLElement; status: HTMLElement } {
  const input = element("input", { type: "file", tabindex: "-1", "aria-hidden": "true" });
  input.hidden = true;
  const status = element("div", { class: "status", role: "status", "aria-label": words.attach });
  const button = element(
    "button",
    { type: "button", class: "tool", "aria-label": words.attach },
    icon(CLIP, 22),
  );
  button.addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    const [file] = input.files ?? [];
    input.value = "";
    if (file !== undefined) void take(file);
  });

  async function take(file: File): Promise<void> {
    status.textContent = words.uploading;
    try {
      const { url, name = file.name } = await upload(file);
      const [kind] = file.type.split("/");
      send({ type: kind === "image" || kind === "audio" ? kind : "document", url, name });
      status.textContent = "";
    } catch {
      status.textContent = words.notUploaded;
    }
  }
  return { button, input, status };
}
