import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import type { Bed } from "../support/bed.ts";
import { eventually } from "../support/processes.ts";
import { PROGRAM } from "../support/service.ts";
import { newCanary, type Canary } from "./canaries.ts";
import { plantAccount } from "./plant-account.ts";

const run = promisify(execFile);

export interface Planted {
  secrets: Canary[];
  /** Personal data belongs in PostgreSQL, and nowhere else. */
  personal: Canary[];
  /** Every answer but those that show a new secret this once, and what refused processes printed. */
  seen: { place: string; body: string }[];
  shown: string[];
  ids: string[];
}

interface Sent {
  method?: string;
  token?: string;
  headers?: Record<string, string>;
  /** Text goes as it is, anything else as JSON. */
  body?: unknown;
  shows?: boolean;
  node?: number;
}

/** Every place where something can be configured or said, and every way of failing that we know of. */
export async function plantCanaries(bed: Bed): Promise<Planted> {
  const planting = openPlanting(bed);
  const { secrets, secret, personal, asOperator } = planting;
  const { superuserPassword, ownerPassword, servicePassword } = bed.cluster.address;
  const [, sealingKey = ""] = (bed.environment["SEALING_KEYS"] ?? "").split(":");
  secrets.push(
    { name: "operator token", value: bed.operatorToken },
    { name: "sealing key", value: sealingKey },
    { name: "sealing key's bytes", value: Buffer.from(sealingKey, "base64") },
    { name: "database password", value: servicePassword },
    { name: "owner's password", value: ownerPassword },
    { name: "superuser's password", value: superuserPassword },
  );
  const agent = await asOperator("/agents", { body: { name: "Agent" } });
  const agentId = agent.reply["agent_id"] ?? "";
  planting.ids.push(agentId);

  const idempotencyKey = randomBytes(24).toString("base64url");
  secrets.push({ name: "idempotency key", value: idempotencyKey });
  const keyRequest = { body: { name: "Key" }, headers: { "idempotency-key": idempotencyKey }, shows: true };
  const created = await asOperator(`/agents/${agentId}/keys`, keyRequest);
  const again = await asOperator(`/agents/${agentId}/keys`, { ...keyRequest, node: 1, shows: false });
  assert.equal(again.status, 409, "an API key is shown once, and not again for the same Idempotency-Key");
  const apiKey = created.reply["api_key"] ?? "";
  secrets.push({ name: "API key", value: apiKey });

  const keepSigningSecret = (name: string, { reply }: { reply: Record<string, string> }) => {
    const [, bare = ""] = /^whsec_(.+)$/.exec(reply["signing_secret"] ?? "") ?? assert.fail(name);
    secrets.push({ name, value: bare }, { name: `${name}'s bytes`, value: Buffer.from(bare, "base64") });
  };
  const urlToken = newCanary("token in a webhook's URL");
  personal.push(urlToken);
  const hook = {
    url: `${bed.receiver.url}/hook?token=${encodeURIComponent(urlToken.value)}`,
    username: secret("webhook username"),
    secret: secret("webhook secret"),
  };
  const hookPath = `/agents/${agentId}/message-webhook`;
  keepSigningSecret("signing secret", await asOperator(hookPath, { method: "PUT", body: hook, shows: true }));
  const desk = {
    name: "Desk",
    url: `${bed.receiver.url}/desk`,
    username: secret("component username"),
    secret: secret("component secret"),
  };
  const headers = { "idempotency-key": "desk-1" };
  const component = await asOperator(`/agents/${agentId}/human-services`, {
    body: desk,
    headers,
    shows: true,
  });
  keepSigningSecret("component's signing secret", component);
  const rotated = await asOperator(`${hookPath}/signing-secret/rotate`, { body: {}, shows: true });
  keepSigningSecret("new signing secret", rotated);

  secrets.push(...(await plantAccount(bed)));
  await beRefused(planting, agentId, apiKey, { hook, desk, idempotencyKey });
  await deliver(bed, planting, apiKey);
  await breakThings(bed, planting, agentId, apiKey);
  await refuseToStart(bed, planting);
  for (const path of ["", `/${agentId}`, `/${agentId}/keys`, `/${agentId}/human-services`])
    await asOperator(`/agents${path}`, { method: "GET" });
  await asOperator("/audit", { method: "GET" });
  const shownHook = await asOperator(hookPath, { method: "GET" });
  assert.match(
    shownHook.reply["url"] ?? "",
    /token=/,
    "a URL is no secret: it is shown as it was configured",
  );
  return planting;
}

type Planting = ReturnType<typeof openPlanting>;

function openPlanting(bed: Bed) {
  const planted: Planted = { secrets: [], personal: [], seen: [], shown: [], ids: [] };
  const planter = (list: Canary[]) => (name: string) => {
    const canary = newCanary(name);
    list.push(canary);
    return canary.value;
  };
  async function send(path: string, sent: Sent): Promise<{ status: number; reply: Record<string, string> }> {
    const { method = "POST", token, headers = {}, body, shows = false, node = 0 } = sent;
    const response = await fetch(bed.api(node).baseUrl + path, {
      method,
      headers: {
        "content-type": "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const whole = `${JSON.stringify([...response.headers])}\n${text}`;
    if (shows) planted.shown.push(whole);
    else planted.seen.push({ place: `answer to ${method} ${path.split("?")[0]?.slice(0, 60)}`, body: whole });
    return {
      status: response.status,
      reply: (text.startsWith("{") ? JSON.parse(text) : {}) as Record<string, string>,
    };
  }
  return {
    ...planted,
    secret: planter(planted.secrets),
    person: planter(planted.personal),
    send,
    asOperator: (path: string, sent: Sent) => send(`/admin/v1${path}`, { token: bed.operatorToken, ...sent }),
    operatorToken: bed.operatorToken,
  };
}

/** Requests that are refused, each with something in it that the refusal must not repeat. */
async function beRefused(
  { secret, send, asOperator, operatorToken }: Planting,
  agentId: string,
  apiKey: string,
  { hook, desk, idempotencyKey }: { hook: object; desk: object; idempotencyKey: string },
): Promise<void> {
  const hookPath = `/agents/${agentId}/message-webhook`;
  const bodies = [
    JSON.stringify(hook).slice(0, -3),
    { ...hook, url: "ftp://nowhere" },
    { ...hook, username: `${secret("username with a colon")}:x` },
    { ...hook, secret: `${secret("secret that cannot be sent")}\u00e9` },
    { ...hook, unknown_field: secret("value of an unknown field") },
    { ...hook, username: { nested: secret("username of another type") } },
    `{"url":${"[".repeat(40)}"${secret("behind too many brackets")}`,
  ];
  for (const body of bodies)
    assert.equal((await asOperator(hookPath, { method: "PUT", body })).status, 400, JSON.stringify(body));
  const conflicting = { body: { name: "Other" }, headers: { "idempotency-key": idempotencyKey } };
  assert.equal((await asOperator(`/agents/${agentId}/keys`, conflicting)).status, 409);
  await asOperator(hookPath, { method: "PUT", body: hook, headers: { "content-type": "text/plain" } });
  await asOperator(`/agents/${agentId}/human-services/${agentId}`, { method: "PUT", body: desk });

  const stray = encodeURIComponent(secret("stray token"));
  const get = { method: "GET", token: apiKey };
  await send(`/v1/api-key/verify?api_key=${stray}`, get);
  await send(`/v1/${stray}`, { token: apiKey });
  await send("/v1/api-key/verify", { ...get, method: "PATCH" });
  await send("/v1/api-key/verify", { ...get, token: operatorToken });
  await send("/v1/api-key/verify", { ...get, token: `${apiKey.slice(0, -1)}~`, node: 1 });
  await send("/v1/api-key/verify", { method: "GET", headers: { authorization: `Basic ${btoa(apiKey)}` } });
  await send("/admin/v1/agents", get);
  await asOperator(`/agents/${stray}`, { method: "GET" });
  await asOperator(`/agents?cursor=${stray}`, { method: "GET" });
  await send("/metrics", { method: "GET", token: stray });
}

/** A user writes; the developer's answers repeat all they were sent, until one is good. */
async function deliver(bed: Bed, { person, send, ids }: Planting, apiKey: string): Promise<void> {
  const user = {
    user_id: person("user_id"),
    anonymous_id: person("anonymous_id"),
    email: person("email"),
    phone: person("phone"),
  };
  const { reply } = await send("/v1/conversation", { token: apiKey, body: user });
  const conversation_id = reply["conversation_id"] ?? "";
  ids.push(conversation_id);
  let answers = 0;
  bed.receiver.respond(({ headers, bodyBytes }) => {
    answers += 1;
    const authorization = headers["authorization"] ?? "";
    const echo = `${authorization} ${headers["webhook-signature"]} ${bodyBytes.toString("utf8")}`;
    if (answers === 1) return { status: 500, body: echo, headers: { "x-echo": authorization } };
    if (answers === 2)
      return { status: 302, body: echo, headers: { location: `/${encodeURIComponent(authorization)}` } };
    return { body: { code: 200, msg: echo } };
  });
  const pair = { question: `Is it ${person("question")}?`, answer: `It is ${person("answer")}.` };
  const document = { purpose: "QA_TEXT", name: person("document name"), qaList: [pair] };
  await send("/v1/bot/doc/qa/add", { token: apiKey, body: document });
  const message = (content: string) => ({
    conversation_id,
    response_mode: "webhook",
    messages: [{ role: "user", content }],
  });
  const path = "/v2/conversation/message";
  const headers = { "idempotency-key": "message-1" };
  await send(path, { token: apiKey, body: message(`My card is ${person("message text")}`), headers });
  await send(path, { token: apiKey, body: message(pair.question), node: 1 });
  await bed.receiver.waitForCount(4, 60_000);
  const delivered = Buffer.concat(bed.receiver.requests.map(({ bodyBytes }) => bodyBytes));
  assert.ok(delivered.includes(JSON.stringify(pair.answer).slice(1, -1)), "the developer got the answer");
}

/** What happens only when something of ours is broken, or away. */
async function breakThings(bed: Bed, planting: Planting, agentId: string, apiKey: string): Promise<void> {
  const { secret, person, send, asOperator } = planting;
  const query = (statement: string) => bed.database.query(statement);
  await query("alter table conversation add constraint probe check (user_id <> 'broken') not valid");
  const user = { user_id: "broken", email: person("email of a failed call") };
  assert.equal((await send("/v1/conversation", { token: apiKey, body: user })).status, 500);
  await query("alter table conversation drop constraint probe");
  await query("alter table webhook add constraint probe check (url <> 'http://broken') not valid");
  const body = {
    url: "http://broken",
    username: secret("username of a failed call"),
    secret: secret("secret of a failed call"),
  };
  const headers = { "idempotency-key": "broken" };
  const failed = await asOperator(`/agents/${agentId}/message-webhook`, { method: "PUT", body, headers });
  assert.equal(failed.status, 500);
  await query("alter table webhook drop constraint probe");

  const email = person("email of an outage");
  const requests = Array.from({ length: 40 }, (_, index) =>
    send("/v1/conversation", { token: apiKey, node: index % 2, body: { user_id: "u", email } }).catch(
      () => undefined,
    ),
  );
  await bed.ownCluster().restart();
  await Promise.all(requests);
  const ready = async () => (await bed.api(0).isReady()) && (await bed.api(1).isReady());
  await eventually("both nodes take work again", ready, { timeoutMs: 30_000 });
}

/** Processes that end at once, because their environment or their database does not fit. */
async function refuseToStart(bed: Bed, { secrets, secret, seen }: Planting): Promise<void> {
  const wrong = secret("a wrong setting");
  const password = randomBytes(18).toString("hex");
  secrets.push({ name: "a wrong password", value: password });
  const { port } = bed.cluster;
  const environments: [string, Record<string, string>][] = [
    ["api", { OPERATOR_TOKEN: wrong.slice(0, 20), SEALING_KEYS: wrong, DATABASE_URL: wrong, PORT: wrong }],
    [
      "api",
      { DATABASE_URL: `postgres://signalbox_login:${password}@127.0.0.1:${port}/${bed.database.name}` },
    ],
    ["migrate", { DATABASE_URL: `postgres://someone:${password}@[not-an-address]/x` }],
    ["reseal", { SEALING_KEYS: `k2:${randomBytes(32).toString("base64")}` }],
  ];
  const outputs = environments.map(async ([role, changed]) => {
    const env = { PATH: process.env["PATH"] ?? "", ...bed.environment, ...changed };
    const ended = await run(process.execPath, [PROGRAM, role], { env, timeout: 60_000 }).then(
      () => assert.fail(`${role} should have ended with a failure`),
      (error: { stdout?: string; stderr?: string }) => error,
    );
    const body = `${ended.stdout}${ended.stderr}`;
    assert.ok(body.length > 20, `${role} says why it ends`);
    return { place: `output of ${role} with a wrong ${Object.keys(changed).join(", ")}`, body };
  });
  seen.push(...(await Promise.all(outputs)));
  assert.match(seen.at(-1)?.body ?? "", /SEALING_KEYS lacks the key "k1"/);
}
