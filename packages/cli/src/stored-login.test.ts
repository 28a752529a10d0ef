import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { EXIT_CODES } from "./exit-codes.ts";
import { loginFileOf, readLogin, writeLogin } from "./stored-login.ts";

const TOKEN = `sbo_${"a".repeat(40)}`;
const program = join(import.meta.dirname, "main.ts");

describe("signalbox login", () => {
  const tokens: (string | undefined)[] = [];
  /** Lists no agents to a caller with the token. */
  const server = createServer((request, response) => {
    tokens.push(request.headers.authorization);
    const isKnown = request.headers.authorization === `Bearer ${TOKEN}`;
    response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" });
    response.end(
      JSON.stringify(isKnown ? { list: [], next_cursor: null } : { code: 40127, message: "Unknown" }),
    );
  });
  let home = "";
  let url = "";
  before(async () => {
    home = await mkdtemp(join(tmpdir(), "signalbox-login-"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    server.close();
    await rm(home, { recursive: true, force: true });
  });
  beforeEach(() => void (tokens.length = 0));

  const fileOf = () => loginFileOf({ HOME: home }) ?? "";
  const type = (words: string[], { input = "", more = {} }: { input?: string; more?: object } = {}) =>
    new Promise<{ code: number; out: string; error: string }>((resolve) => {
      const env = { PATH: process.env["PATH"], HOME: home, ...more };
      const child = execFile(process.execPath, [program, ...words], { env }, (_, out, error) =>
        resolve({ code: child.exitCode ?? -1, out, error }),
      );
      child.stdin?.end(input);
    });

  it("login stores a working token in a file of mode 0600, and later commands use it", async () => {
    const { code, error } = await type(["login", "--url", `${url}/`], { input: `${TOKEN}\n` });
    assert.equal(code, EXIT_CODES.ok.code, error);
    assert.equal((await stat(fileOf())).mode & 0o777, 0o600);
    assert.deepEqual(await readLogin({ HOME: home }), { url, operatorToken: TOKEN });
    assert.equal(error.includes(TOKEN), false);
    const { out } = await type(["agents"]);
    assert.match(out, /No agents yet/);
    assert.deepEqual(tokens, [`Bearer ${TOKEN}`, `Bearer ${TOKEN}`]);
  });

  it("login stores nothing when the service refuses the token", async () => {
    await rm(fileOf(), { force: true });
    const { code } = await type(["login", "--url", url], { input: "wrong" });
    assert.equal(code, EXIT_CODES.notAllowed.code);
    assert.equal(await readLogin({ HOME: home }), undefined);
  });

  it("a stored token is sent to no other service", async () => {
    await writeLogin(fileOf(), { url: "http://127.0.0.1:1", operatorToken: TOKEN });
    const { code, error } = await type(["agents"], { more: { SIGNALBOX_URL: url } });
    assert.equal(code, EXIT_CODES.notAllowed.code);
    assert.match(error, /signalbox login/);
    assert.deepEqual(tokens, []);
  });

  it("login narrows the mode of a file that others could read", async () => {
    await writeFile(fileOf(), "{}", { mode: 0o644 });
    await writeLogin(fileOf(), { url, operatorToken: TOKEN });
    assert.equal((await stat(fileOf())).mode & 0o777, 0o600);
  });

  it("login --forget deletes the stored token", async () => {
    await writeLogin(fileOf(), { url, operatorToken: TOKEN });
    assert.equal((await type(["login", "--forget"])).code, EXIT_CODES.ok.code);
    await assert.rejects(readFile(fileOf()), { code: "ENOENT" });
  });

  it("no login is read from a file that is not ours or without a home directory", async () => {
    await writeFile(fileOf(), "not JSON");
    assert.equal(await readLogin({ HOME: home }), undefined);
    assert.equal(await readLogin({}), undefined);
  });
});
