import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CreateApiKeyRequest } from "./api-keys.ts";
import { CreateHumanServiceRequest } from "./desk-settings.ts";
import { SetMessageWebhookRequest } from "./webhook-settings.ts";
import { credentialsProblem } from "./credentials.ts";
import { readRequest, readWire } from "./reading.ts";

const id = "0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21";
const url = "https://desk.example.com/hook";

function refusedNew(fields: object): string | undefined {
  const read = readWire(CreateHumanServiceRequest, { name: "Desk", url, ...fields });
  return read.ok ? undefined : read.problem;
}

function refusedChange(fields: object): string | undefined {
  const read = readWire(SetMessageWebhookRequest, { url, ...fields });
  return read.ok ? undefined : read.problem;
}

const needsUsername = "secret requires a username; both are sent together as HTTP Basic";
const noColon = "username must not contain a colon when a secret is set; HTTP Basic does not allow it";
const noSpace = "username must not contain spaces when no secret is set; it is sent as a Bearer token";

describe("webhook credentials", () => {
  it("webhook credentials are none, a username, or a username and a secret", () => {
    for (const fields of [
      {},
      { username: "u" },
      { username: "u", secret: "s s:" },
      { username: null, secret: null },
    ]) {
      assert.equal(refusedNew(fields), undefined);
      assert.equal(refusedChange(fields), undefined);
    }
  });

  it("a webhook secret without a username is refused", () => {
    assert.equal(refusedNew({ secret: "s" }), needsUsername);
    assert.equal(refusedChange({ username: null, secret: "s" }), needsUsername);
  });

  it("a colon is refused in a Basic username and accepted in a Bearer token", () => {
    assert.equal(refusedNew({ username: "a:b", secret: "s" }), noColon);
    assert.equal(refusedChange({ username: "a:b", secret: "s" }), noColon);
    assert.equal(refusedNew({ username: "a:b" }), undefined);
  });

  it("a space is refused in a Bearer token and accepted in a Basic username", () => {
    assert.equal(refusedNew({ username: "a b" }), noSpace);
    assert.equal(refusedNew({ username: "a b", secret: "s" }), undefined);
  });

  it("webhook credentials hold printable ASCII characters only", () => {
    for (const character of ["\n", "\u0000", "é", "\u007f"]) {
      assert.match(refusedNew({ username: `a${character}` }) ?? "", /^username must hold printable ASCII/);
      assert.match(
        refusedNew({ username: "a", secret: character }) ?? "",
        /^secret must hold printable ASCII/,
      );
    }
    assert.equal(refusedNew({ username: "" }), "username must have at least 1 character");
  });

  it("a partial change of credentials is judged together with the stored ones", () => {
    assert.equal(refusedChange({ secret: "s" }), undefined);
    assert.equal(refusedChange({ username: "a:b" }), undefined);
    assert.equal(credentialsProblem({ username: null, secret: "s" })?.field, "secret");
    assert.equal(credentialsProblem({ username: "a:b", secret: "s" })?.field, "username");
    assert.equal(credentialsProblem({ username: "a:b", secret: null }), undefined);
  });
});

describe("settings bodies", () => {
  it("an unknown field in a settings body is refused", () => {
    assert.equal(
      refusedChange({ strict_acknowlegement: true }),
      "the request body has no field strict_acknowlegement",
    );
  });

  it("a refused settings body is never quoted in the problem", () => {
    assert.doesNotMatch(refusedNew({ username: "hunter2:x", secret: "hunter2" }) ?? "", /hunter2/);
    assert.doesNotMatch(refusedNew({ secret: { hunter2: 1 } }) ?? "", /hunter2/);
  });

  it("an expiry may be given in seconds or milliseconds", () => {
    assert.equal(
      CreateApiKeyRequest.parse({ name: "ci", expire_time: 1_800_000_000 }).expire_time,
      1_800_000_000_000,
    );
  });

  it("a request joins path, query and body into one input, with defaults", () => {
    assert.deepEqual(readRequest("createAgent", { body: { name: "Shop" } }), {
      ok: true,
      value: { name: "Shop", language: "en" },
    });
    assert.deepEqual(readRequest("listApiKeys", { params: { agent_id: id }, query: { limit: "5" } }), {
      ok: true,
      value: { agent_id: id, limit: 5 },
    });
    assert.deepEqual(
      readRequest("rotateMessageWebhookSecret", { params: { agent_id: id }, body: undefined }),
      {
        ok: true,
        value: { agent_id: id, overlap_seconds: 86_400 },
      },
    );
    assert.deepEqual(readRequest("getAgent", { params: { agent_id: "x" } }), {
      ok: false,
      problem: "agent_id must be an id given by this service (a UUID)",
    });
    assert.deepEqual(readRequest("createAgent", {}), { ok: false, problem: "name is required" });
  });
});
