import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { startHandwritten } from "../receivers/handwritten-receiver.ts";
import { blocksOf, openProject, pageOf } from "./page-programs.ts";

describe("programs in docs/how-to/receive-webhooks.md", () => {
  let project: Awaited<ReturnType<typeof openProject>>;
  let receiving = "";
  let sending = "";
  before(async () => {
    project = await openProject();
    const [first = "", second = ""] = blocksOf(await pageOf("docs/how-to/receive-webhooks.md"), "ts");
    receiving = await project.write("receiving.ts", first);
    sending = await project.write("sending.ts", second);
  });
  after(() => project[Symbol.asyncDispose]());

  it("the programs in receive-webhooks.md type-check", () => project.checkTypes([receiving, sending]));

  it("the programs in receive-webhooks.md receive and send what they say", async () => {
    await using receiver = await startHandwritten("no credentials asked");
    const [, text = ""] = blocksOf(await pageOf("docs/how-to/receive-webhooks.md"), "ts");
    const here = text.replace("http://127.0.0.1:3000/hooks", receiver.url);
    const sent = await project.write("sent.ts", `${here}\nexport { call, result };\n`);
    const program = `
      process.env.SIGNALBOX_WEBHOOK_USERNAME = "signalbox";
      process.env.SIGNALBOX_WEBHOOK_SECRET = "s3cret";
      const { receiver } = await import(${JSON.stringify(receiving)});
      const { call } = await import(${JSON.stringify(sent)});
      const response = await receiver.fetch(new Request(call.url, call));
      console.log(response.status, await response.text());`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
      cwd: project.directory,
    });
    assert.match(stdout, /Yes, please\.\n200 \{"code":200,"message":"success"\}/);
  });
});
