import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { nodeReceiver } from "@signalbox/sdk/node";
import { createReceiver } from "@signalbox/sdk/receiver";
import { COMMANDS } from "./commands.ts";
import { completionScript } from "./completion-scripts.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { runCommandLine } from "./run.ts";

const program = join(import.meta.dirname, "main.ts");
const credentials = ["--username", "signalbox", "--secret", "s3cret"];

type Ran = { code: number; out: string; error: string };

async function run(...words: string[]): Promise<Ran> {
  let out = "";
  let error = "";
  const code = await runCommandLine(
    words,
    { SIGNALBOX_URL: "http://127.0.0.1:1" },
    { out: (text) => (out += text), error: (text) => (error += text) },
  );
  return { code, out, error };
}

describe("command line", () => {
  const heard: string[] = [];
  let url = "";
  const receiver = createReceiver({
    username: "signalbox",
    secret: "s3cret",
    onMessage: ({ output }) => void heard.push(output[0]?.content.text ?? ""),
    onHandoffRequested: ({ email }) => void heard.push(`${email}`),
  });
  const server = createServer((request, response) => {
    if (request.url === "/effects") response.end(heard.join("\n"));
    else nodeReceiver(receiver)(request, response);
  });
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it("the program exits with the command's code, and with 0 when its reader closes the pipe early", async () => {
    const start = (command: string) =>
      new Promise<Ran>((resolve) => {
        execFile(
          "bash",
          ["--norc", "-c", command],
          { env: { PATH: process.env["PATH"] } },
          (failure, out, error) => resolve({ code: failure === null ? 0 : Number(failure.code), out, error }),
        );
      });
    const signalbox = `${process.execPath} ${program}`;
    const nonsense = await start(`${signalbox} nonsense`);
    assert.deepEqual([nonsense.code, nonsense.out], [EXIT_CODES.usage.code, ""]);
    const left = await start(`set -o pipefail; ${signalbox} completion fish | head -n 1`);
    assert.deepEqual([left.code, left.error], [0, ""]);
    assert.match(left.out, /^complete -c signalbox/);
  });

  it("secrets generate writes secrets to a file of mode 0600 and never overwrites one", async () => {
    const directory = await mkdtemp(join(tmpdir(), "signalbox-secrets-"));
    try {
      const file = join(directory, ".env");
      assert.equal((await run("secrets", "generate", "--file", file)).code, 0);
      const written = await readFile(file, "utf8");
      assert.match(
        written,
        /^OPERATOR_TOKEN=\S{48}\nSEALING_KEYS=k1:\S{44}\nENGINE_IDENTITY_KEYS=publickeyv1_\S{32,44}\nENGINE_IDENTITY_PRIVATE_KEY="-----BEGIN PRIVATE KEY-----\\n\S+\\n-----END PRIVATE KEY-----\\n"\nDATABASE_PASSWORD=\S{32}\nMIGRATION_DATABASE_PASSWORD=\S{32}\nPOSTGRES_PASSWORD=\S{32}\n$/,
      );
      assert.equal((await stat(file)).mode & 0o777, 0o600);
      assert.equal((await run("secrets", "generate", "--file", file)).code, EXIT_CODES.notWell.code);
      assert.equal(await readFile(file, "utf8"), written);
      assert.notEqual((await run("secrets", "generate")).out, (await run("secrets", "generate")).out);
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it("--help explains every command", async () => {
    const overview = await run("--help");
    assert.equal(overview.code, 0);
    for (const { name, summary } of COMMANDS) {
      assert.ok(overview.out.includes(name) && overview.out.includes(summary), name);
      const help = await run(name, "--help");
      assert.equal(help.code, 0, name);
      assert.match(help.out, new RegExp(`signalbox ${name}`));
    }
  });

  it("a wrong command line does nothing and exits with 2", async () => {
    const wrong = [
      [],
      ["nonsense"],
      ["conform"],
      ["conform", "ftp://x"],
      ["conform", url, "more"],
      ["check", "--colour"],
      ["trigger", "rain", "--to", url],
      ["trigger", "message", "--to", url, "--set", "output.9.x=1"],
      ["deliveries", "--state", "lost"],
      ["deliveries", "--since", "soon"],
      ["replay", "--operator-token", "t"],
      ["conform", url, "--rule", "no-such-rule"],
      ["conform", url, "--signing-secret", "hunter2"],
      ["conform", `${url}/hooks`, ...credentials, "--rule", "handles", "--effects", "/no/such/file"],
      ["trigger", "message", "--to", url, "--data", "/no/such/file"],
    ];
    for (const words of wrong)
      assert.equal((await run(...words)).code, EXIT_CODES.usage.code, words.join(" "));
    assert.equal(heard.filter((text) => !text.startsWith("conform")).length, 0);
  });

  it("a command says when the service cannot be reached and when a key is missing", async () => {
    const away = await run("check", "--api-key", "k", "--json");
    assert.equal(away.code, EXIT_CODES.noAnswer.code);
    assert.match(
      (JSON.parse(away.out) as { error: { message: string } }).error.message,
      /Cannot reach the service/,
    );
    const keyless = await run("check");
    assert.deepEqual([keyless.code, keyless.out], [EXIT_CODES.notAllowed.code, ""]);
    assert.match(keyless.error, /SIGNALBOX_API_KEY/);
  });

  it("conform tests a receiver against the rules and prints what to change", async () => {
    const good = await run("conform", `${url}/hooks`, ...credentials, "--effects", `${url}/effects`);
    assert.equal(good.code, 0, good.out);
    assert.match(good.out, /0 failed/);
    const bad = await run("conform", `${url}/hooks`, "--username", "signalbox", "--json");
    assert.equal(bad.code, EXIT_CODES.notWell.code);
    const { results } = JSON.parse(bad.out) as { results: { id: string; state: string; fix?: string }[] };
    assert.match(results.find(({ id }) => id === "answers-200")?.fix ?? "", /credentials/);
  });

  it("trigger sends a sample with the fields that --set changed", async () => {
    heard.length = 0;
    const path = "output.0.content.text";
    const sent = await run(
      "trigger",
      "message",
      "--to",
      `${url}/hooks`,
      ...credentials,
      "--set",
      `${path}=a=b`,
      "--times",
      "2",
    );
    assert.equal(sent.code, 0, sent.error);
    const handoff = [
      "trigger",
      "handoff_requested",
      "--to",
      `${url}/hooks`,
      ...credentials,
      "--set",
      "email=null",
    ];
    const { code, out } = await run(...handoff, "--json");
    assert.equal(code, 0);
    const { results } = JSON.parse(out) as { results: { status: number; url: string }[] };
    assert.deepEqual([results[0]?.status, results[0]?.url], [200, `${url}/hooks/conversation/establish`]);
    assert.equal((await run(...handoff, "--test")).code, 0);
    assert.deepEqual(heard, ["a=b", "a=b", "null"]);
    assert.equal((await run("trigger", "message", "--to", `${url}/hooks`)).code, EXIT_CODES.notWell.code);
  });

  it("doctor finds what is wrong without a service", async () => {
    const { code, out } = await run("doctor");
    assert.equal(code, EXIT_CODES.notWell.code);
    assert.match(out, /✖ the service at http:\/\/127\.0\.0\.1:1/);
    assert.match(out, /SIGNALBOX_URL/);
    assert.match(out, /– the API key: SIGNALBOX_API_KEY is not set/);
  });

  it("bash completion completes commands, options and their values", async () => {
    const complete = (...words: string[]) =>
      new Promise<string[]>((resolve) => {
        const quoted = words.map((word) => `'${word}'`).join(" ");
        const script = `${completionScript("bash", COMMANDS)}
COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _signalbox; printf '%s\\n' "\${COMPREPLY[@]}"`;
        execFile("bash", ["--norc", "-c", script], (_, out) => resolve(out.trim().split("\n")));
      });
    assert.deepEqual(await complete("signalbox", "conf"), ["conform"]);
    assert.deepEqual(await complete("signalbox", "conform", "--eff"), ["--effects"]);
    assert.deepEqual(await complete("signalbox", "conform", "--as", "hu"), ["human-service"]);
    assert.deepEqual(await complete("signalbox", "trigger", "user"), ["user_message"]);
  });
});
