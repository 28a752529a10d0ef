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
  for (let page = 1; ; page += 1) {
    const { list } = await client.listDocuments({ knowledge_base_id, page, page_size: PAGE_SIZE });
    // One that came meanwhile moves the others to the next page.
    for (const document of list) found.set(document.id, document);
    if (list.length < PAGE_SIZE) return [...found.values()].toReversed();
  }
}
