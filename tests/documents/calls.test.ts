import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { makeAgent, type MadeAgent } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { eventually } from "../support/processes.ts";
import { blocksOf, openProject, pageOf } from "./page-programs.ts";

const run = promisify(execFile);

describe("examples of the documents against the running service", () => {
  const open = new AsyncDisposableStack();
  let bed: Bed;
  let agent: MadeAgent;
  let project: Awaited<ReturnType<typeof openProject>>;
  before(async () => {
    bed = open.use(await openBed({ apis: 1, workers: 1 }));
    agent = await makeAgent(bed, { qaList: [{ question: "When do you open?", answer: "At nine." }] });
    project = open.use(await openProject());
  });
  after(() => open.disposeAsync());

  /** What a page takes for granted, and then its programs one after the other, each in a block of its own. */
  async function play(name: string, [first = "", ...rest]: string[], given: string[]): Promise<string> {
    const imports = rest.flatMap((block) => block.match(/^import .*$/gm) ?? []);
    const blocks = rest.map((block) => block.replaceAll(/^import .*$/gm, ""));
    const program = [...imports, first, ...blocks.map((block, at) => `${given[at] ?? ""}\n{\n${block}}\n`)]
      .join("\n")
      .replaceAll("http://127.0.0.1:8080", bed.baseUrl)
      .replaceAll("sbx_...", agent.apiKey)
      .replaceAll("sbo_...", bed.operatorToken);
    const file = await project.write(name, program);
    await project.checkTypes([file]);
    const { stdout } = await run(process.execPath, [file], { cwd: project.directory, timeout: 60_000 });
    return stdout;
  }

  it("packages/sdk/README.md: the programs add knowledge, ask, stream and follow", async () => {
    const blocks = blocksOf(await pageOf("packages/sdk/README.md"), "ts");
    assert.equal(blocks.length, 7);
    const printed = await play("client.ts", blocks, [
      "",
      "",
      'const documents = { purpose: "QA_TEXT" as const, name: "More", qaList: [{ question: "Do you deliver?", answer: "Yes." }] };',
      'const messages = [{ role: "user" as const, content: "Do you deliver?" }];',
      'const { token } = await signalbox.chatTokens.mint({ user_id: "u-2" });\nconst signal = AbortSignal.timeout(2_000);',
      `const agent_id = ${JSON.stringify(agent.agentId)};`,
    ]);
    assert.match(printed, /At nine/);
    assert.match(printed, /Yes\./);
  });

  it("docs/how-to/verify-a-signature.md: the program verifies a delivered message", async () => {
    const [program = ""] = blocksOf(await pageOf("docs/how-to/verify-a-signature.md"), "ts");
    await agent.ask(await agent.converse(), "When do you open?");
    const [message] = await agent.arrivals(1, 30_000);
    const [, ...rest] = program.split("\n");
    const file = await project.write(
      "verify.ts",
      [
        'import { Webhook } from "standardwebhooks";',
        `process.env.SIGNALBOX_SIGNING_SECRET = ${JSON.stringify(agent.signingSecret)};`,
        `const rawBody = ${JSON.stringify(String(message?.bodyBytes))};`,
        `const request = { headers: ${JSON.stringify(message?.headers)} };`,
        ...rest,
        "console.log(message.conversation_id);",
      ].join("\n"),
    );
    const { stdout } = await run(process.execPath, [file], { cwd: project.directory });
    assert.match(stdout, /^[0-9a-f-]{36}\n$/);
  });

  it("packages/contract/README.md: the program reads a request", async () => {
    const [program = ""] = blocksOf(await pageOf("packages/contract/README.md"), "ts");
    const [imports = "", ...rest] = program.split("\n");
    const body = rest.join("\n");
    const file = await project.write("reading.ts", `${imports}\nexport function answer() {\n${body}\n}\n`);
    await project.checkTypes([file]);
  });

  it("docs/how-to/import-questions-and-answers.md: the example file is imported and exported", async () => {
    const page = await pageOf("docs/how-to/import-questions-and-answers.md");
    const [file = ""] = blocksOf(page, "csv");
    const commands =
      blocksOf(page, "sh").find((block) => block.startsWith("signalbox documents import faq")) ?? "false";
    await project.write("faq.csv", file);
    const env = {
      PATH: `${project.directory}/node_modules/.bin:${process.env["PATH"]}`,
      SIGNALBOX_URL: bed.baseUrl,
      SIGNALBOX_API_KEY: agent.apiKey,
    };
    await run("bash", ["-ec", commands], { cwd: project.directory, env });
    const exported = await readFile(join(project.directory, "faq.csv"), "utf8");
    assert.match(exported, /"Weekdays from 9 to 18\.\nClosed on public holidays\."/);
  });

  it("the curl commands of the how-to guides and the live channel are answered", async () => {
    const { headers } = await agent.client.knowledge
      .add({ purpose: "QA_FILE", files: [{ file_name: "no-table.csv", file_url: bed.receiver.url }] })
      .withResponse();
    const curlOf = async (page: string) =>
      blocksOf(await pageOf(`docs/how-to/${page}.md`), "sh").find((block) =>
        /^(agent_id=.*\n)?curl/.test(block),
      ) ?? "";
    const details = await curlOf("import-questions-and-answers");
    const phrasing = await curlOf("improve-answers");
    const model = await curlOf("connect-a-model");
    const [token = ""] = blocksOf(await pageOf("docs/reference/live-channel.md"), "bash");
    const env = {
      PATH: process.env["PATH"],
      SIGNALBOX_URL: bed.baseUrl,
      SIGNALBOX_API_KEY: agent.apiKey,
      SIGNALBOX_OPERATOR_TOKEN: bed.operatorToken,
      SIGNALBOX_IMPORT: headers.get("signalbox-import") ?? "",
    };
    const answers = await Promise.all(
      [details, phrasing, model, token].map(async (command) => {
        const { stdout } = await run("bash", ["-c", command], { env });
        return JSON.parse(stdout) as Record<string, unknown>;
      }),
    );
    const [found, phrased, set, minted] = answers;
    assert.match(JSON.stringify(found), /"data_status":"FAILED".*"cause"/);
    assert.deepEqual(phrased?.["synonyms"], [["flurb", "gadget"]], JSON.stringify(phrased));
    assert.equal(set?.["model"], "some-model", JSON.stringify(set));
    assert.equal(typeof minted?.["token"], "string", JSON.stringify(minted));
  });

  it("docs/reference/api/send-message.md: the streaming command prints the transcript below it", async () => {
    const page = await pageOf("docs/reference/api/send-message.md");
    const command = blocksOf(page, "sh").find((block) => block.startsWith("curl -N")) ?? "";
    const [transcript = ""] = blocksOf(page, "text");
    const [, answer = ""] = /"Text","data":"([^"]+)"/.exec(transcript) ?? [];
    const asked = await makeAgent(bed, { qaList: [{ question: "When do you open?", answer }] });
    const conversation = await asked.converse();
    const env = { ...process.env, SIGNALBOX_URL: bed.baseUrl, SIGNALBOX_API_KEY: asked.apiKey };
    const uuid = /[0-9a-f]{8}-[0-9a-f-]{27}/g;
    const { stdout } = await run("bash", ["-c", command.replace(uuid, conversation)], { env });
    assert.equal(stdout.replaceAll(uuid, "id").trim(), transcript.replaceAll(uuid, "id").trim());
  });

  it("docs/how-to/come-from-gptbots.md: the script previews a folder, then imports it and names what failed", async () => {
    const folder = join(project.directory, "exported");
    await mkdir(folder);
    await project.write("exported/faq.csv", 'Question,Answer\nDo you sell bells?,"Yes, from 5 euros."\n');
    await project.write("exported/guide.md", "# Repairs\n\n## How long does a repair take?\n\nTwo days.\n");
    const moved = await makeAgent(bed);
    const env = {
      PATH: `${project.directory}/node_modules/.bin:${process.env["PATH"]}`,
      SIGNALBOX_URL: bed.baseUrl,
      SIGNALBOX_API_KEY: moved.apiKey,
      SIGNALBOX_OPERATOR_TOKEN: bed.operatorToken,
    };
    const script = join(import.meta.dirname, "../../examples/gptbots/import.sh");
    const importing = (...words: string[]) => run("bash", [script, folder, ...words], { env });
    assert.match((await importing()).stdout, /Nothing is imported yet/);
    const names = async () =>
      (
        await moved.client.knowledge.listDocuments({
          knowledge_base_id: moved.knowledgeBaseId,
          page: 1,
          page_size: 10,
        })
      ).list.map(({ name }) => name);
    assert.deepEqual(await names(), []);
    assert.match((await importing("--yes")).stdout, /2 files, 2 without a complaint/);
    assert.deepEqual((await names()).toSorted(), ["faq.csv", "guide.md"]);
    await project.write("exported/empty.csv", "Question,Answer\n");
    await assert.rejects(importing("--yes"), /look at: .*empty\.csv/);
  });

  it("docs/tutorial/first-agent.md: the commands create an agent that answers in the call and at its webhook", async () => {
    const page = await pageOf("docs/tutorial/first-agent.md");
    const commands = blocksOf(page, "sh").map((block) =>
      block
        .replaceAll("https://signalbox.example.com", bed.baseUrl)
        .replace("your-operator-token", bed.operatorToken)
        .replace("https://shop.example.com/hooks", `${bed.receiver.url}/hooks/first-agent`),
    );
    const type = async (command: string, settings: Record<string, string> = {}) => {
      const PATH = `${project.directory}/node_modules/.bin:${process.env["PATH"]}`;
      const env = { HOME: project.directory, PATH, ...settings };
      return (await run("bash", ["-euc", command], { cwd: project.directory, env })).stdout;
    };
    const last = commands.pop() ?? "";
    const remember = 'node -p "JSON.stringify(process.env)" > first-agent.json';
    const printed = await type([...commands, "export AGENT", remember].join("\n"));
    for (const shown of blocksOf(page, "text")) assert.ok(printed.includes(shown.trim()), printed);
    assert.match(printed, /whsec_/);
    assert.match(printed, /✔ .*message.*HTTP 200/);

    const settings = JSON.parse(await readFile(join(project.directory, "first-agent.json"), "utf8")) as {
      [name: string]: string;
    };
    const log = await eventually(
      "the answer is delivered",
      async () => {
        const listed = await type(last, settings);
        return /\bdelivered\b/.test(listed) ? listed : undefined;
      },
      { timeoutMs: 60_000, everyMs: 500 },
    );
    assert.equal(log.match(/\bmessage\b/g)?.length, 1, log);
    const arrived = bed.receiver.requests.filter(({ path }) => path === "/hooks/first-agent");
    assert.ok(arrived.some(({ bodyBytes }) => String(bodyBytes).includes("At nine, every day but Sunday.")));
  });
});
