import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { createSealer } from "../platform/index.ts";
import {
  authorizationOf,
  createDestinationOpener,
  openDestination,
  sealingContext,
  type DestinationRow,
} from "./destination.ts";
import { signingKey } from "./signing.ts";

const sealer = createSealer([{ id: "k1", material: randomBytes(32) }]);
const IDS = { agent_id: "agent", id: "webhook" };
const seal = (column: Parameters<typeof sealingContext>[2], plain: string) =>
  sealer.seal(plain, sealingContext(IDS.agent_id, IDS.id, column));

const row: DestinationRow = {
  ...IDS,
  url: "https://developer.example.com/",
  username_sealed: seal("username_sealed", "developer"),
  secret_sealed: null,
  signing_secret_sealed: seal("signing_secret_sealed", "whsec_new"),
  previous_signing_secret_sealed: null,
  previous_signing_secret_until: null,
  asymmetric_key_sealed: null,
  previous_asymmetric_key_sealed: null,
  cloud_events: false,
  strict_acknowledgement: true,
  inbox_assignment: null,
  establish_timeout_ms: 3_000,
  establish_tries: 3,
};

describe("opening a destination", () => {
  it("a destination is opened with its credentials, signing keys and strict acknowledgement", () => {
    assert.deepEqual(openDestination(row, sealer, new Date()), {
      id: "webhook",
      url: "https://developer.example.com/",
      username: "developer",
      secret: undefined,
      signingKeys: [signingKey("whsec_new")],
      eventSource: undefined,
      strictAcknowledgement: true,
      isInbox: false,
    });
  });

  it("a destination signs with the new and the old secret until the rotation overlap ends", () => {
    const until = new Date(2_000);
    // A rotation moves the sealed value from one column to the other as it is.
    const rotated = {
      ...row,
      previous_signing_secret_sealed: seal("signing_secret_sealed", "whsec_old"),
      previous_signing_secret_until: until,
    };
    const secretsAt = (ms: number) => openDestination(rotated, sealer, new Date(ms)).signingKeys;
    assert.deepEqual(secretsAt(1_999), [signingKey("whsec_new"), signingKey("whsec_old")]);
    assert.deepEqual(secretsAt(2_000), [signingKey("whsec_new")]);
  });

  it("an opened destination is cached until its row or the time changes it", () => {
    let opened = 0;
    const counting = {
      ...sealer,
      open: (...given: Parameters<typeof sealer.open>) => ((opened += 1), sealer.open(...given)),
    };
    const open = createDestinationOpener(counting);
    const first = open(row, new Date(0));
    assert.equal(open({ ...row }, new Date(1)), first);
    assert.equal(opened, 2);
    const changes: Partial<DestinationRow>[] = [
      { url: "https://elsewhere.example.com/" },
      { username_sealed: seal("username_sealed", "other") },
      { username_sealed: null },
      { secret_sealed: seal("secret_sealed", "new") },
      { signing_secret_sealed: seal("signing_secret_sealed", "whsec_newer") },
      { strict_acknowledgement: false },
    ];
    for (const change of changes) {
      open(row, new Date(0));
      assert.deepEqual(
        open({ ...row, ...change }, new Date(0)),
        openDestination({ ...row, ...change }, sealer, new Date(0)),
      );
    }
    const rotated = {
      ...row,
      previous_signing_secret_sealed: row.signing_secret_sealed,
      previous_signing_secret_until: new Date(2_000),
    };
    assert.equal(open(rotated, new Date(1_999)).signingKeys.length, 2);
    assert.equal(open(rotated, new Date(2_000)).signingKeys.length, 1);
  });

  it("a value sealed for another agent, webhook or column does not open", () => {
    for (const moved of [
      { ...row, agent_id: "other" },
      { ...row, id: "other" },
      { ...row, secret_sealed: row.username_sealed },
      { ...row, username_sealed: row.signing_secret_sealed },
    ])
      assert.throws(() => openDestination(moved, sealer, new Date()));
  });
});

describe("authorization header", () => {
  it("the authorization header is absent, Bearer or Basic, depending on the credentials", () => {
    assert.equal(authorizationOf({ username: undefined, secret: undefined }), undefined);
    assert.equal(authorizationOf({ username: "developer", secret: undefined }), "Bearer developer");
    const basic = authorizationOf({ username: "developer", secret: "pass:word" });
    assert.equal(basic, `Basic ${Buffer.from("developer:pass:word").toString("base64")}`);
  });
});
