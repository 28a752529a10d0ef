import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { Talk } from "@signalbox/contract";
import type { Client } from "@signalbox/sdk";
import { operatorOf, refusal } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { makeInbox, type MadeInbox, type Person } from "../support/inbox.ts";

describe("teams of the inbox", { concurrency: 3 }, () => {
  let bed: Bed;
  let operator: Client;
  before(async () => {
    bed = await openBed({ apis: 1, workers: 1 });
    operator = operatorOf(bed);
  });
  after(() => bed[Symbol.asyncDispose]());

  const teamOf = ({ agent_id }: MadeInbox, name: string, ...members: Person[]) =>
    operator.inboxTeams.create({ agent_id, name, account_ids: members.map(({ accountId }) => accountId) });
  const usersOf = (list: Talk[]) => list.map(({ user }) => user.user_id);
  const come = ({ agent_id }: MadeInbox, { client }: Person, presence: "available" | "away" = "available") =>
    client.inbox.setPresence({ agent_id, presence });
  /** Who each waiting chat is offered to, and which team it waits for. */
  const offers = async ({ agent_id }: MadeInbox) => {
    const { list } = await operator.talks.search({ agent_id, view: "waiting" });
    return list.map(({ offered_to, team }) => `${team?.name ?? "all"}: ${offered_to?.name ?? "nobody"}`);
  };

  it("inbox: a team is created, renamed, given members and deleted, and the audit names each change", async () => {
    const inbox = await makeInbox(bed);
    const { agent_id } = inbox;
    const [ann, bob] = [await inbox.join("Ann"), await inbox.join("Bob")];
    const viewer = await inbox.join("Vera", "viewer");
    const made = await ann.client.inboxTeams.create({
      agent_id,
      name: "Biling",
      account_ids: [ann.accountId],
    });
    await ann.client.inboxTeams.create({ agent_id, name: "Tier 2" });
    const path = { agent_id, team_id: made.team_id };
    const account_ids = [bob.accountId, ann.accountId, bob.accountId];
    const renamed = await ann.client.inboxTeams.update({ ...path, name: "Billing", account_ids });
    assert.deepEqual(
      renamed.members.map(({ name }) => name),
      ["Ann", "Bob"],
    );
    await come(inbox, bob);
    const { list } = await bob.client.inboxTeams.list({ agent_id });
    assert.deepEqual(
      list.map(({ name, members, available_count }) => [name, members.length, available_count]),
      [
        ["Billing", 2, 1],
        ["Tier 2", 0, 0],
      ],
    );
    assert.equal((await refusal(ann.client.inboxTeams.create({ agent_id, name: "tier 2" }))).code, 40900);
    const stranger = { ...path, name: "Billing", account_ids: [viewer.accountId] };
    assert.equal((await refusal(ann.client.inboxTeams.update(stranger))).code, 40000);
    assert.equal((await refusal(viewer.client.inboxTeams.create({ agent_id, name: "Mine" }))).code, 40300);
    await ann.client.inboxTeams.delete(path);
    assert.equal((await refusal(ann.client.inboxTeams.delete(path))).code, 40401);
    const { list: audited } = await operator.audit.list({ agent_id, limit: 100 });
    assert.deepEqual(
      audited
        .filter(({ subject_id }) => subject_id === made.team_id)
        .map(
          ({ action, actor_name, detail }) =>
            `${action} ${actor_name?.slice(0, 3)} ${String(detail["name"])}`,
        )
        .toReversed(),
      ["inbox_team.create Ann Biling", "inbox_team.update Ann Billing", "inbox_team.delete Ann Billing"],
    );
  });

  it("inbox: a chat that is transferred to a team waits for it, and its members find it under team", async () => {
    const inbox = await makeInbox(bed);
    const { agent_id } = inbox;
    const [ann, bob, cleo] = [await inbox.join("Ann"), await inbox.join("Bob"), await inbox.join("Cleo")];
    const { team_id } = await teamOf(inbox, "Billing", bob);
    const { path } = await inbox.open("user-1");
    await inbox.open("user-2");
    await ann.client.talks.take(path);
    const moved = await ann.client.talks.transfer({ ...path, team_id });
    assert.deepEqual(
      [moved.state, moved.holder, moved.team?.name, moved.is_mine],
      ["waiting", null, "Billing", false],
    );
    const seen = async ({ client }: Person, view: "waiting" | "team", team?: string) =>
      usersOf((await client.talks.search({ agent_id, view, ...(team && { team_id: team }) })).list);
    assert.deepEqual(await seen(bob, "team"), ["user-1"]);
    assert.deepEqual(await seen(cleo, "team"), []);
    assert.deepEqual(await seen(cleo, "team", team_id), ["user-1"], "others may still see all");
    assert.deepEqual(await seen(cleo, "waiting"), ["user-1", "user-2"]);
    assert.deepEqual(await seen(cleo, "waiting", team_id), ["user-1"]);
    const { counts } = await bob.client.talks.search({ agent_id, view: "closed" });
    assert.deepEqual(counts, { waiting: 2, mine: 0, team: 1 });
    assert.equal((await operator.inboxTeams.list({ agent_id })).list[0]?.waiting_count, 1);

    assert.equal((await bob.client.talks.take(path)).team?.name, "Billing");
    const outside = await bob.client.talks.transfer({ ...path, account_id: cleo.accountId });
    assert.deepEqual([outside.holder?.name, outside.team], ["Cleo", null]);
    const unknown = { ...path, team_id: randomUUID() };
    assert.equal((await refusal(cleo.client.talks.transfer(unknown))).code, 40000);
    const both = { ...path, team_id, account_id: bob.accountId };
    assert.equal((await refusal(cleo.client.talks.transfer(both))).code, 40000);
    assert.equal((await operator.talks.get(path)).holder?.name, "Cleo");
    const { list } = await operator.audit.list({ agent_id, limit: 100 });
    const [, toTeam] = list.filter(({ action }) => action === "inbox.transfer");
    assert.equal(toTeam?.detail["to_team_id"], team_id);
  });

  it("inbox: a deleted team's chats wait for everybody", async () => {
    const inbox = await makeInbox(bed);
    const { agent_id } = inbox;
    const { team_id } = await teamOf(inbox, "Billing");
    const { path } = await inbox.open("user-1");
    await operator.talks.transfer({ ...path, team_id });
    const ofTeam = async () =>
      usersOf((await operator.talks.search({ agent_id, view: "waiting", team_id })).list);
    assert.deepEqual(await ofTeam(), ["user-1"]);
    await operator.inboxTeams.delete({ agent_id, team_id });
    assert.deepEqual(await offers(inbox), ["all: nobody"]);
    assert.deepEqual(await ofTeam(), []);
  });

  it("inbox: a team's chats are offered by turn to its available members alone", async () => {
    const inbox = await makeInbox(bed, { inbox: { assignment: "turn" } });
    const people = [await inbox.join("Ann"), await inbox.join("Bob"), await inbox.join("Cleo")] as const;
    const [ann, bob, cleo] = people;
    const { team_id } = await teamOf(inbox, "Billing", ann, bob);
    const paths = [];
    for (const user of ["a", "b", "c"]) paths.push((await inbox.open(`user-${user}`)).path);
    for (const path of paths) await operator.talks.transfer({ ...path, team_id });
    await come(inbox, ann);
    assert.deepEqual(await offers(inbox), ["Billing: Ann", "Billing: Ann", "Billing: Ann"]);
    await come(inbox, bob);
    await come(inbox, cleo);
    // Back in the team's queue, each goes to the person who was offered one longest ago.
    for (const path of paths) await operator.talks.transfer({ ...path, team_id });
    assert.deepEqual(await offers(inbox), ["Billing: Bob", "Billing: Ann", "Billing: Bob"]);
  });

  it("inbox: when a team's last available member leaves, its chats are offered to everybody and keep the team", async () => {
    const inbox = await makeInbox(bed, { inbox: { assignment: "load" } });
    const { agent_id } = inbox;
    const [ann, bob] = [await inbox.join("Ann"), await inbox.join("Bob")];
    const { team_id } = await teamOf(inbox, "Billing", ann);
    await come(inbox, ann);
    await come(inbox, bob);
    const { path } = await inbox.open();
    await operator.talks.transfer({ ...path, team_id });
    assert.deepEqual(await offers(inbox), ["Billing: Ann"]);
    await come(inbox, ann, "away");
    assert.deepEqual(await offers(inbox), ["Billing: Bob"]);
    assert.equal((await operator.inboxTeams.list({ agent_id })).list[0]?.available_count, 0);
    await come(inbox, bob, "away");
    assert.deepEqual(await offers(inbox), ["Billing: nobody"]);
    assert.equal((await bob.client.talks.take(path)).holder?.name, "Bob", "anybody may take it");
  });

  it("inbox: a deleted account leaves its teams, and the inbox keeps nothing of it", async () => {
    const inbox = await makeInbox(bed);
    const { agent_id } = inbox;
    const [ann, bob] = [await inbox.join("Ann"), await inbox.join("Bob")];
    await teamOf(inbox, "Billing", ann, bob);
    await come(inbox, ann);
    await operator.accounts.delete({ account_id: ann.accountId });
    const { list } = await operator.inboxTeams.list({ agent_id });
    assert.deepEqual(
      list.map(({ members }) => members.map(({ name }) => name)),
      [["Bob"]],
    );
    for (const table of ["inbox_team_member", "inbox_presence"]) {
      const kept = await bed.database.query(`select from ${table} where account_id = $1`, [ann.accountId]);
      assert.equal(kept.length, 0, table);
    }
  });

  it("inbox: support of another agent can neither see nor use its teams", async () => {
    const [inbox, theirs] = [await makeInbox(bed), await makeInbox(bed)];
    const stranger = await theirs.join("Sam");
    const { team_id } = await teamOf(inbox, "Billing");
    const { agent_id } = inbox;
    assert.equal((await refusal(stranger.client.inboxTeams.list({ agent_id }))).code, 40401);
    const below = { agent_id: theirs.agent_id, team_id };
    assert.equal((await refusal(stranger.client.inboxTeams.update({ ...below, name: "Ours" }))).code, 40401);
    assert.equal((await refusal(stranger.client.inboxTeams.delete(below))).code, 40401);
    const { path } = await theirs.open();
    assert.equal((await refusal(stranger.client.talks.transfer({ ...path, team_id }))).code, 40000);
  });
});
