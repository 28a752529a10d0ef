import assert from "node:assert/strict";
import { eventually } from "../../support/processes.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import type { Accepted, Received } from "../../support/ledger.ts";
import { BACKUP_PAGE } from "./backup-page.ts";
import {
  assertComplete,
  assertRightsRestored,
  assertSealedSecrets,
  assertWrongKeysRefused,
  furnish,
  isEverythingThere,
  type Furnished,
} from "./furnished.ts";
import { openInstallation, type Installation, type Server } from "./installation.ts";

const ARRIVES_WITHIN = { timeoutMs: 90_000, everyMs: 100 };

export const RESTORES = ["dump", "base backup", "point in time"] as const;
export type Restore = (typeof RESTORES)[number];

/** An installation that is gone, and what was kept of it. */
export type LostInstallation = AsyncDisposable & {
  installation: Installation;
  /** Fails unless everything accepted before the point arrives from a new cluster with an empty engine, under the same rights. */
  restore(kind: Restore): Promise<void>;
};

/**
 * An installation with delivered, refused and unanswered messages; a dump and a base backup are taken of it, more messages come,
 * then the point to restore to, and messages after it that no backup may bring back.
 */
export async function loseAnInstallation(): Promise<LostInstallation> {
  await using opening = new AsyncDisposableStack();
  const installation = opening.use(await openInstallation());
  const receiver = opening.use(await startReceiver());
  const { type } = installation;
  await using server = await installation.newServer();
  await type("sh deploy/postgres-init.sh; signalbox migrate", server);
  await type(`mkdir --mode=777 wal; ${BACKUP_PAGE.archive}`, server);
  await server.restart();

  await using service = await installation.serve(server, "old");
  const furnished = await furnish(service, receiver, installation);
  await furnished.sendNext();
  await furnished.sendNext();
  await eventually(
    "messages are delivered",
    () => isEverythingThere(furnished.accepted, receiver.ledger()),
    ARRIVES_WITHIN,
  );
  const refusedAt = receiver.requests.length;
  furnished.agents[1]?.respond(() => ({ status: 503 }));
  await furnished.sendNext();
  await receiver.waitForCount(refusedAt + furnished.agents.length * 2);
  await service.worker.stop();
  await furnished.sendNext();
  await type(BACKUP_PAGE.dump, server);
  await type(BACKUP_PAGE.baseBackup, server);
  const atBackup = [...furnished.accepted];
  await furnished.sendNext();
  const atPoint = [...furnished.accepted];
  const point = (
    await type("psql --tuples-only --no-align --command 'select clock_timestamp()'", server)
  ).trim();
  await furnished.sendNext();
  await type(
    "file=$(psql --tuples-only --no-align --command 'select pg_walfile_name(pg_switch_wal())'); until test -f wal/$file; do sleep 0.1; done",
    server,
  );
  furnished.agents[1]?.respond(() => undefined);

  const { superuserPassword } = server;
  const lost = { installation, receiver, furnished, superuserPassword, before: receiver.ledger() };
  const drills: Record<Restore, () => Promise<void>> = {
    dump: () => fromDump(lost, atBackup),
    "base backup": () => fromBaseBackup(lost, atBackup),
    "point in time": () => untilPoint(lost, atPoint, point),
  };
  const open = opening.move();
  return {
    installation,
    restore: (kind) => drills[kind](),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Lost = {
  installation: Installation;
  receiver: Receiver;
  furnished: Furnished;
  superuserPassword: string;
  /** What had arrived when it was lost. */
  before: Received[];
};

async function fromDump(lost: Lost, accepted: Accepted[]): Promise<void> {
  await using server = await lost.installation.newServer();
  const said = await lost.installation.type(BACKUP_PAGE.restoreDump, server);
  assert.match(said, /Nothing to do: the schema is up to date\.\nThe schema matches this version/);
  await assertGoesOn(lost, server, accepted);
}

async function fromBaseBackup(lost: Lost, accepted: Accepted[]): Promise<void> {
  // Two servers must not archive to one place, and this one needs no archive.
  await lost.installation.type("cp -R base restored; sed -i /archive_/d restored/postgresql.auto.conf");
  await using server = await lost.installation.startServer("restored", lost.superuserPassword);
  assert.match(await lost.installation.type(BACKUP_PAGE.verify, server), /^The schema matches this version/);
  await assertGoesOn(lost, server, accepted);
}

async function untilPoint(lost: Lost, accepted: Accepted[], point: string): Promise<void> {
  await lost.installation.type(BACKUP_PAGE.untilThen, undefined, { point_in_time: point });
  await using server = await lost.installation.startServer("base", lost.superuserPassword);
  assert.match(await lost.installation.type(BACKUP_PAGE.verify, server), /^The schema matches this version/);
  await assertGoesOn(lost, server, accepted);
}

/** Rights and sealed secrets first, then the messages that were owed, and one more in each conversation. */
async function assertGoesOn(lost: Lost, server: Server, atPoint: Accepted[]): Promise<void> {
  const { installation, receiver, furnished, before } = lost;
  await assertRightsRestored(installation, server, furnished.agents);
  await assertWrongKeysRefused(installation, server);
  const [firstRequest, firstEntry] = [receiver.requests.length, receiver.ledger().length];
  const received = () => [...before, ...receiver.ledger().slice(firstEntry)];
  await using _ = await installation.serve(server, `restored-${server.port}`);
  const isOwedThere = () => isEverythingThere(atPoint, received());
  await eventually("everything accepted before the point arrives", isOwedThere, ARRIVES_WITHIN);
  const sentBefore = furnished.accepted.length;
  await furnished.sendNext();
  const accepted = [...atPoint, ...furnished.accepted.slice(sentBefore)];
  const isAllThere = () => isEverythingThere(accepted, received());
  await eventually("the conversations go on", isAllThere, ARRIVES_WITHIN);
  assertComplete(accepted, received());
  assertSealedSecrets(furnished.agents, firstRequest);
}
