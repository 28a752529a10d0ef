import type { ReplyOf } from "@signalbox/contract";
import type { Client } from "@signalbox/sdk";

const PAGE_SIZE = 100;

type ListedDocument = ReplyOf<"listDocuments">["list"][number];

/** The documents of a base, oldest first. */
export async function documentsOf(
  client: Client,
  knowledge_base_id: string | undefined,
): Promise<ListedDocument[]> {
  const found = new Map<string, ListedDocument>();
  // One that came meanwhile moves the others to the next page.
  for await (const document of client.knowledge.listDocuments({ knowledge_base_id, page_size: PAGE_SIZE }))
    found.set(document.id, document);
  return [...found.values()].toReversed();
}
