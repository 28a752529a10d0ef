import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { bundleProgram, type BundledProgram } from "../support/bundled-program.ts";
import { openSawShop, type SawShop } from "../support/saw-shop.ts";

const SOURCE = join(import.meta.dirname, "../../packages/cli/src/main.ts");

describe("signalbox model", () => {
  const open = new AsyncDisposableStack();
  let program: BundledProgram;
  let shop: SawShop;
  before(async () => {
    program = open.use(await bundleProgram(SOURCE));
    shop = await openSawShop(open, { webhook: false, qaList: [] });
  });
  after(() => open.disposeAsync());

  function run(...words: string[]): Promise<{ code: number; out: string; error: string }> {
    const env = {
      PATH: process.env["PATH"],
      SIGNALBOX_URL: shop.bed.baseUrl,
      SIGNALBOX_OPERATOR_TOKEN: shop.bed.operatorToken,
    };
    const named = [program.path, ...words, "--agent", shop.agent.agentId];
    return new Promise((resolve) => {
      execFile(process.execPath, named, { env }, (failure, out, error) =>
        resolve({ code: failure === null ? 0 : Number(failure.code), out, error }),
      );
    });
  }

  it("model sets, tests and removes a model of each kind, and tests what is not stored", async () => {
    const { model } = shop;
    for (const kind of ["chat", "chat_fallback", "embedding", "speech"]) {
      const voice = kind === "speech" ? ["--voice", "ada"] : [];
      const given = ["--kind", kind, "--model", "some", "--key", "sk-test", ...voice];
      const tried = await run("model", "test", model.url, ...given);
      assert.deepEqual([tried.code, tried.out.split(" ")[0]], [0, "✔"], tried.error);
      assert.equal((await run("model", "set", model.url, ...given)).code, 0);
      assert.equal((await run("model", "test", "--kind", kind)).code, 0);
      model.next({ status: 404, error: { message: "The model `other` does not exist" } });
      const other = await run("model", "test", "--kind", kind, "--model", "other");
      assert.match(other.out, /The server has no model of this name/);
      assert.equal((await run("model", "--kind", kind)).code, 0, "what is stored has not failed");
      assert.equal((await run("model", "remove", "--kind", kind)).code, 0);
    }
  });
});
