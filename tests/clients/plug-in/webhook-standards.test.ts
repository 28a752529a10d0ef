import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createReceiver } from "@signalbox/sdk/receiver";
import { type MadeAgent, makeAgent, operatorOf } from "../../support/agents.ts";
import { type Bed, openBed } from "../../support/bed.ts";
import type { ReceivedRequest } from "../../support/receiver.ts";
import { importInstalled, root, without } from "../installed.ts";

type CloudEvent = {
  id: string;
  type: string;
  source: string;
  subject: string;
  specversion: string;
  data: unknown;
};
type CloudEvents = { HTTP: { toEvent(message: object): CloudEvent & { validate(): boolean } } };
type Verify = (headers: object, body: Buffer, publicKey: string) => boolean;

let bed: Bed;
let agent: MadeAgent;

before(async () => {
  bed = await openBed({ apis: 1, workers: 1 });
  const webhook = { cloud_events: true, asymmetric_signature: true };
  agent = await makeAgent(bed, { webhook, qaList: [{ question: "When do you open?", answer: "At nine." }] });
});
after(() => bed?.[Symbol.asyncDispose]());

async function nextDelivery(): Promise<ReceivedRequest> {
  const before = agent.arrived().length;
  await agent.ask(await agent.converse(), "When do you open?");
  return (await agent.arrivals(before + 1)).at(-1) ?? assert.fail();
}

describe("CloudEvents SDK", { skip: without("cloudevents") }, () => {
  it("a delivery of a webhook with cloud_events is an event of the CloudEvents SDK, with the body of 4.5 as its data", async () => {
    const { headers, body, bodyBytes } = await nextDelivery();
    const { HTTP } = await importInstalled<CloudEvents>("cloudevents/dist/index.js");
    const event = HTTP.toEvent({ headers, body: bodyBytes.toString() });
    assert.equal(event.validate(), true);
    const { id, type, source, subject, specversion, data } = event;
    assert.deepEqual(
      { id, type, source, subject, specversion, data },
      {
        id: headers["webhook-id"],
        type: "signalbox.message",
        source: `urn:signalbox:agent:${agent.agentId}`,
        subject: (body as { conversation_id: string }).conversation_id,
        specversion: "1.0",
        data: body,
      },
    );
    await operatorOf(bed).webhooks.set({
      agent_id: agent.agentId,
      url: agent.webhookUrl,
      cloud_events: false,
    });
    const names = Object.keys((await nextDelivery()).headers);
    assert.deepEqual(
      names.filter((name) => name.startsWith("ce-")),
      [],
    );
  });
});

describe("Standard Webhooks v1a", () => {
  it("a v1a signature verifies with the public key alone, by the code of the documentation and by the SDK, through a rotation", async () => {
    const page = readFileSync(join(root, "docs/reference/signatures.md"), "utf8");
    const [, code = ""] = /```js\n(.+?)```/s.exec(page) ?? [];
    const { isSigned } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
      isSigned: Verify;
    };
    const { webhooks } = operatorOf(bed);
    const { agentId: agent_id } = agent;
    const { public_key: first } = await webhooks.get({ agent_id });
    const one = await nextDelivery();
    const kinds = (signature = "") => signature.split(" ").map((part) => part.split(",")[0]);
    assert.deepEqual(kinds(one.headers["webhook-signature"]), ["v1", "v1a"]);
    assert.ok(first !== null && isSigned(one.headers, one.bodyBytes, first));
    assert.equal(isSigned(one.headers, Buffer.concat([one.bodyBytes, Buffer.from(" ")]), first), false);

    const { public_key: second } = await webhooks.rotateSecret({ agent_id, overlap_seconds: 3_600 });
    assert.ok(second !== null && second !== first);
    const { headers, bodyBytes } = await nextDelivery();
    assert.deepEqual(kinds(headers["webhook-signature"]), ["v1", "v1", "v1a", "v1a"]);
    const answered = async (signingSecrets: string) => {
      const request = new Request("http://localhost/", {
        method: "POST",
        headers: Object.entries(headers).map(([name, value = ""]): [string, string] => [name, value]),
        body: new Uint8Array(bodyBytes),
      });
      return (await createReceiver({ signingSecrets, onMessage: () => undefined }).fetch(request)).status;
    };
    for (const key of [first, second]) {
      assert.ok(isSigned(headers, bodyBytes, key));
      assert.equal(await answered(key), 200);
    }
    assert.equal(isSigned(one.headers, one.bodyBytes, second), false);
    assert.equal(await answered(`whpk_${Buffer.alloc(32, 7).toString("base64")}`), 401);

    await webhooks.set({ agent_id, url: agent.webhookUrl, asymmetric_signature: false });
    assert.equal((await webhooks.get({ agent_id })).public_key, null);
    assert.deepEqual(kinds((await nextDelivery()).headers["webhook-signature"]), ["v1", "v1"]);
  });
});
