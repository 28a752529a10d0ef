import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bumpManifest, nextVersion, releaseChangelog } from "./bump.ts";

describe("npm run bump", () => {
  it("bump counts major, minor and patch as semantic versioning does", () => {
    assert.deepEqual(
      ["major", "minor", "patch", "2.0.0"].map((part) => nextVersion("0.1.4", part)),
      ["1.0.0", "0.2.0", "0.1.5", "2.0.0"],
    );
    assert.throws(() => nextVersion("0.1.4", "next"), /next is no version/);
  });

  it("bump moves the Unreleased section of the changelog to the version and its date", () => {
    const released = releaseChangelog(
      "# Changelog\n\n## Unreleased\n\n### Added\n\n- x\n",
      "0.2.0",
      "2026-11-16",
    );
    assert.equal(released, "# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-11-16)\n\n### Added\n\n- x\n");
    assert.throws(() => releaseChangelog(released, "0.3.0", "2026-11-17"), /nothing under Unreleased/);
  });

  it("bump changes a package and its dependencies on our packages, not libraries", () => {
    const manifest = `{ "version": "0.1.0", "dependencies": { "@signalbox/sdk": "0.1.0", "zod": "0.1.0" } }`;
    assert.equal(
      bumpManifest(manifest, "0.1.0", "0.2.0"),
      `{ "version": "0.2.0", "dependencies": { "@signalbox/sdk": "0.2.0", "zod": "0.1.0" } }`,
    );
  });
});
