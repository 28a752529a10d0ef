import { z } from "zod";
import { absentIfEmpty, fileUrl, text } from "./values.ts";

const ATTACHMENTS_MAX = 20;

/** A file that somebody sends, by its URL: nothing is downloaded, and no bytes are kept. */
const Attachment = z
  .object({
    url: absentIfEmpty(fileUrl),
    base64_content: z.string().nullish().describe("Not supported. Send a url instead"),
    format: absentIfEmpty(text(32)),
    name: absentIfEmpty(text(200)),
  })
  .check(({ value, issues }) => {
    if (value.url) return;
    const isInline = Boolean(value.base64_content);
    issues.push({
      code: "custom",
      input: value,
      path: [isInline ? "base64_content" : "url"],
      message: isInline ? "is not supported: upload the file and give its url" : "is required",
    });
  })
  .meta({ id: "Attachment" })
  .transform(({ url, format, name }) => ({
    url: url ?? "",
    ...(format ? { format } : {}),
    ...(name ? { name } : {}),
  }));

/** One attachment or a list of them: both forms are in use. */
const attachments = z
  .union([Attachment, z.array(Attachment).min(1).max(ATTACHMENTS_MAX)], {
    error: ({ input }) =>
      input === undefined ? "is required for a part of this type" : "must be an attachment or a list of them",
  })
  .transform((value) => (Array.isArray(value) ? value : [value]));

export const attachmentParts = [
  z.object({ type: z.literal("image"), image: attachments }),
  z.object({ type: z.literal("audio"), audio: attachments }),
  z.object({ type: z.literal("document"), document: attachments }),
] as const;

/** The same in a message of the live channel, and in a human's. */
const ChatAttachment = z
  .strictObject({
    type: z.enum(["image", "audio", "document"]),
    url: fileUrl.describe("Where the file is. Nothing is downloaded"),
    name: absentIfEmpty(text(200)),
    format: absentIfEmpty(text(32)),
  })
  .meta({ id: "ChatAttachment" })
  .transform(({ name, format, ...given }) => ({
    ...given,
    ...(format ? { format } : {}),
    ...(name ? { name } : {}),
  }));
export const chatAttachments = z.array(ChatAttachment).max(ATTACHMENTS_MAX).default([]);

interface Said {
  text?: string | null | undefined;
  attachments: readonly unknown[];
}

/** A check for bodies with words, files, or both. */
export function needsTextOrAttachment({ value, issues }: z.core.ParsePayload<Said>): void {
  if (value.text || value.attachments.length > 0) return;
  issues.push({
    code: "custom",
    input: value,
    path: ["text"],
    message: "is required without an attachment",
  });
}

export type AttachmentPart = z.output<(typeof attachmentParts)[number]>;

/** As it is kept beside the text of its message. */
export type MessageAttachment = z.output<typeof Attachment> & { type: AttachmentPart["type"] };

export function attachmentsOfPart(part: AttachmentPart): MessageAttachment[] {
  switch (part.type) {
    case "image":
      return part.image.map((attachment) => ({ type: "image", ...attachment }));
    case "audio":
      return part.audio.map((attachment) => ({ type: "audio", ...attachment }));
    case "document":
      return part.document.map((attachment) => ({ type: "document", ...attachment }));
  }
}

export function attachmentsProblem(attachments: readonly unknown[]): string | undefined {
  return attachments.length > ATTACHMENTS_MAX
    ? `must have at most ${ATTACHMENTS_MAX} attachments in all`
    : undefined;
}

/** A message as plain text, for bodies that hold a string and nothing else: each attachment on a line behind the words. */
export function textWithAttachments(
  words: string,
  attachments: readonly MessageAttachment[] | null | undefined,
): string {
  const lines = (attachments ?? []).map(({ type, name, url }) =>
    name === undefined ? `[${type}] ${url}` : `[${type}] ${name}: ${url}`,
  );
  return [...(words === "" ? [] : [words]), ...lines].join("\n");
}

const shown = z.strictObject({ url: z.string(), format: z.string().optional(), name: z.string().optional() });

/** The same forms as they are read back. */
export const ShownPart = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("text"), text: z.string() }),
    z.strictObject({ type: z.literal("image"), image: z.array(shown) }),
    z.strictObject({ type: z.literal("audio"), audio: z.array(shown) }),
    z.strictObject({ type: z.literal("document"), document: z.array(shown) }),
  ])
  .meta({ id: "ShownPart" });
export type ShownPart = z.output<typeof ShownPart>;

export function shownPart({ type, ...attachment }: MessageAttachment): ShownPart {
  switch (type) {
    case "image":
      return { type, image: [attachment] };
    case "audio":
      return { type, audio: [attachment] };
    case "document":
      return { type, document: [attachment] };
  }
}
