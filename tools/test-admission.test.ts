import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { nextOf, openAdmission, type Candidate } from "./test-admission.ts";

const [one, two, three, four, five] = ["1", "2", "3", "4", "5"].map((file) => ({ file, isTimed: false }));
const timed: Candidate = { file: "abuse", isTimed: true };
const some = (...candidates: (Candidate | undefined)[]) =>
  candidates.filter((candidate) => candidate !== undefined);

describe("admission of test files", () => {
  const busy = { cores: 2, idleShare: 0.1, isStarved: false };
  const idle = { cores: 2, idleShare: 0.6, isStarved: false };

  it("a test file begins while fewer files run than there are cores, in the order they asked", () => {
    assert.equal(nextOf(some(two, timed), some(one), busy), two);
    assert.equal(nextOf(some(timed, two), some(one), busy), timed);
    assert.equal(nextOf(some(three), some(one, two), busy), undefined);
    assert.equal(nextOf([], [], idle), undefined);
  });

  it("a third test file begins on two cores only while they are idle, and no fifth ever", () => {
    assert.equal(nextOf(some(three), some(one, two), idle), three);
    assert.equal(nextOf(some(five), some(one, two, three, four), idle), undefined);
  });

  it("beside a test file that judges time run no more files than there are cores", () => {
    assert.equal(nextOf(some(three), some(one, timed), idle), undefined);
    assert.equal(nextOf(some(timed, three), some(one, two), idle), three);
    assert.equal(nextOf(some(timed), some(one, two), idle), undefined);
  });

  it("no test file begins while the host gives the machine to others", () => {
    assert.equal(nextOf(some(one), [], { ...idle, isStarved: true }), undefined);
  });

  it("the place of a test file is free when its process has ended", async () => {
    const folder = mkdtempSync(join(tmpdir(), "signalbox-admission-"));
    const path = join(folder, "socket");
    const look = () => ({ idleShare: 0, isStarved: false });
    const began: string[] = [];
    const ask = (file: string) => {
      const socket = connect(path);
      socket.write(file);
      const begun = once(socket, "data", { signal: AbortSignal.timeout(5_000) }).then(() => began.push(file));
      return { socket, begun };
    };
    const admission = await openAdmission({ path, cores: 1, isTimed: () => false, look });
    try {
      const first = ask("first");
      await first.begun;
      const second = ask("second");
      await sleep(50);
      assert.deepEqual(began, ["first"]);
      first.socket.destroy();
      await second.begun;
      assert.deepEqual(began, ["first", "second"]);
      second.socket.destroy();
    } finally {
      await admission[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    }
  });
});
