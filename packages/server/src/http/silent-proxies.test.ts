import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { routes } from "@signalbox/contract";
import type { FastifyRequest } from "fastify";
import type { Log } from "../platform/index.ts";
import { createClientAddresses } from "./client-address.ts";
import { createSilentProxies } from "./silent-proxies.ts";

describe("proxies that name no client", () => {
  const clients = createClientAddresses(["127.0.0.0/8", "10.0.0.7"]);
  const open = (publicUrl?: string) => {
    const warned: unknown[] = [];
    const log = { warn: (event: string, fields: object) => warned.push([event, fields]) };
    const proxies = createSilentProxies({ log: log as unknown as Log, publicUrl });
    const note = (name: keyof typeof routes, remoteAddress: string, forwarded?: string) => {
      const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
      proxies.note(
        routes[name],
        { headers, socket: { remoteAddress } } as unknown as FastifyRequest,
        clients,
      );
    };
    return { proxies, note, warned };
  };

  it("a trusted proxy that sends no X-Forwarded-For is warned of once, in the log and in the status", () => {
    const { proxies, note, warned } = open();
    note("beginChat", "10.0.0.7");
    note("beginChat", "10.0.0.7");
    assert.deepEqual(warned, [["proxy_names_no_client", { address: "10.0.0.7" }]]);
    assert.match(proxies.warnings()[0]?.message ?? "", /10\.0\.0\.7/);
  });

  it("clients without a proxy, health checks and programs on the machine itself raise no warning", () => {
    const { proxies, note } = open();
    note("beginChat", "10.0.0.7", "203.0.113.9");
    note("beginChat", "203.0.113.9");
    note("serviceHealth", "10.0.0.7");
    note("beginChat", "127.0.0.1");
    assert.deepEqual(proxies.warnings(), []);
    const published = open("https://chat.example.com");
    published.note("sendMessage", "127.0.0.1");
    published.note("listAgents", "127.0.0.1");
    assert.deepEqual(published.proxies.warnings(), []);
    published.note("beginChat", "127.0.0.1");
    assert.equal(published.proxies.warnings().length, 1);
  });
});
