import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ROUTE_NAMES, routes, type ModelKind, type Route, type RouteName } from "@signalbox/contract";
import type { Client, SignalboxError } from "@signalbox/sdk";
import { makeAgent, operatorOf } from "@signalbox/tests/support/agents.ts";
import { openBed, type Bed } from "@signalbox/tests/support/bed.ts";
import fc from "fast-check";
import { openModels, type readModelRows } from "../agents/index.ts";
import { createDestinationOpener, type DestinationRow } from "../webhooks/index.ts";
import { createSealer, type Sealer } from "./index.ts";

const RUNS = 40;
/** The last two are the first in another spelling, and another server although its name is the same. */
const URLS = [
  "https://one.example.com/a",
  "https://two.example.com/a",
  "https://ONE.example.com:443/b",
  "https://one.example.com:8443/a",
];

/** What a change says of one secret: nothing, that there be none, or a new one. */
type Given = "left out" | "none" | "new";

interface Change {
  url: string;
  given: Record<string, Given>;
}

/** One place that keeps a URL with secrets: how it is set, and what would be sent to which URL. */
interface Keeper {
  routes: RouteName[];
  secrets: string[];
  set(body: { url: string } & Record<string, unknown>): Promise<unknown>;
  stored(): Promise<{ url: string; secrets: Record<string, string | undefined> } | undefined>;
}

describe("a secret stays with the server it was given for", () => {
  let bed: Bed;
  let operator: Client;
  let sealer: Sealer;
  before(async () => {
    bed = await openBed({ apis: 1, workers: 0 });
    operator = operatorOf(bed);
    const [id = "", material = ""] = (bed.environment["SEALING_KEYS"] ?? "").split(":");
    sealer = createSealer([{ id, material: Buffer.from(material, "base64") }]);
  });
  after(() => bed[Symbol.asyncDispose]());

  function webhookStored(kind: string, agentId: string | undefined): Keeper["stored"] {
    const open = createDestinationOpener(sealer);
    return async () => {
      const [row] = await bed.database.query<DestinationRow>(
        `select * from webhook where kind = $1 and deleted_at is null and ($2::uuid is null or agent_id = $2)`,
        [kind, agentId ?? null],
      );
      if (row === undefined) return undefined;
      const { url, username, secret } = open(row, new Date());
      return { url, secrets: { username, secret } };
    };
  }

  function modelKeeper(kind: ModelKind, agent_id: string): Keeper {
    const given = { agent_id, model: "m" };
    const [route, set] = {
      chat: ["setChatModel", (body: { url: string }) => operator.models.setChat({ ...given, ...body })],
      chat_fallback: [
        "setChatFallbackModel",
        (body: { url: string }) => operator.models.setChatFallback({ ...given, ...body }),
      ],
      embedding: [
        "setEmbeddingModel",
        (body: { url: string }) => operator.models.setEmbedding({ ...given, ...body }),
      ],
      speech: [
        "setSpeechModel",
        (body: { url: string }) => operator.models.setSpeech({ ...given, voice: "v", ...body }),
      ],
    }[kind] as [RouteName, Keeper["set"]];
    return {
      // A test of values that are not stored refuses the same, as failing-models.test.ts holds.
      routes: [route, route.replace(/^set/, "test") as RouteName],
      secrets: ["api_key"],
      set,
      stored: async () => {
        const rows = await bed.database.query<Awaited<ReturnType<typeof readModelRows>>[number]>(
          "select * from agent_model where agent_id = $1",
          [agent_id],
        );
        const model = openModels(sealer, agent_id, rows)[kind];
        return model && { url: model.url, secrets: { api_key: model.key } };
      },
    };
  }

  async function keepers(): Promise<Record<string, Keeper>> {
    const { agentId: agent_id } = await makeAgent(bed, { webhook: false });
    const desk = await operator.desks.create({ agent_id, name: "Desk", url: URLS[0] ?? "" });
    await operator.operatorWebhook.delete().catch(() => undefined);
    return {
      "message webhook": {
        routes: ["setMessageWebhook"],
        secrets: ["username", "secret"],
        set: (body) => operator.webhooks.set({ agent_id, ...body }),
        stored: webhookStored("message", agent_id),
      },
      desk: {
        routes: ["createHumanService", "updateHumanService"],
        secrets: ["username", "secret"],
        set: (body) => operator.desks.update({ agent_id, component_id: desk.component_id, ...body }),
        stored: webhookStored("human_service", agent_id),
      },
      "operator webhook": {
        routes: ["setOperatorWebhook"],
        secrets: ["username", "secret"],
        set: (body) => operator.operatorWebhook.set(body),
        stored: webhookStored("operator", undefined),
      },
      "chat model": modelKeeper("chat", agent_id),
      "fallback model": modelKeeper("chat_fallback", agent_id),
      "embedding model": modelKeeper("embedding", agent_id),
      "speech model": modelKeeper("speech", agent_id),
    };
  }

  it("every route that takes a URL and a secret together is held by this test", async () => {
    const secrets = new Set(Object.values(await keepers()).flatMap((keeper) => keeper.secrets));
    const found = ROUTE_NAMES.filter((name) => {
      const { body }: Route = routes[name];
      const fields = Object.keys((body as { shape?: object } | undefined)?.shape ?? {});
      return fields.includes("url") && fields.some((field) => secrets.has(field) || /key|token/.test(field));
    });
    const held = Object.values(await keepers()).flatMap((keeper) => keeper.routes);
    assert.deepEqual(found.toSorted(), held.toSorted());
  });

  const changesOf = (secrets: string[]) =>
    fc.array(
      fc.record<Change>({
        url: fc.constantFrom(...URLS),
        given: fc.record(
          Object.fromEntries(
            secrets.map((name) => [name, fc.constantFrom<Given>("left out", "none", "new")]),
          ),
        ),
      }),
      { minLength: 1, maxLength: 8 },
    );

  for (const name of [
    "message webhook",
    "desk",
    "operator webhook",
    "chat model",
    "fallback model",
    "embedding model",
    "speech model",
  ])
    it(`a ${name} sends no secret to another origin, however its URL changes, and keeps it on the same one`, async () => {
      let secrets = 0;
      const { secrets: names } = (await keepers())[name] as Keeper;
      await fc.assert(
        fc.asyncProperty(changesOf(names), async (changes) => {
          const keeper = (await keepers())[name] as Keeper;
          let before = await keeper.stored();
          for (const { url, given } of changes) {
            const origin = new URL(url).origin;
            // A secret says itself which origin it was given for.
            const value = (kind: Given | undefined) =>
              kind === "none" ? null : `${Buffer.from(origin).toString("hex")}-${(secrets += 1)}`;
            const told = Object.entries(given).filter(([, kind]) => kind !== "left out");
            const body = Object.fromEntries(told.map(([field, kind]) => [field, value(kind)]));
            const refused = await keeper.set({ url, ...body }).then(
              () => undefined,
              (error: unknown) => error as SignalboxError,
            );
            const after = await keeper.stored();
            for (const secret of Object.values(after?.secrets ?? {}))
              if (secret !== undefined)
                assert.equal(
                  Buffer.from(secret.split("-")[0] ?? "", "hex").toString(),
                  new URL(after?.url ?? "").origin,
                  "the origin a secret was given for is the one it is sent to",
                );
            const left = names.filter((field) => before?.secrets[field] !== undefined && !(field in body));
            const moves = before !== undefined && new URL(before.url).origin !== origin;
            if (refused === undefined) {
              assert.equal(after?.url, url);
              for (const field of left) assert.equal(after?.secrets[field], before?.secrets[field]);
            } else {
              assert.equal(refused.code, 40000, refused.message);
              assert.deepEqual(after, before, "what is refused changes nothing");
              // The other reason is a secret without a username.
              if (!/requires a username/.test(refused.message)) {
                assert.ok(moves && left.length > 0, refused.message);
                for (const field of left) assert.match(refused.message, new RegExp(`requires [^;]*${field}`));
              }
            }
            before = after;
          }
        }),
        { numRuns: RUNS },
      );
    });
});
