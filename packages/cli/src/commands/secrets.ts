import { randomBytes } from "node:crypto";
import { open } from "node:fs/promises";
import type { Command } from "../command.ts";
import { EXIT_CODES } from "../exit-codes.ts";

const OWNER_ONLY = 0o600;

export const secretsCommand: Command = {
  name: "secrets",
  summary: "Make the secrets of a new installation",
  about: [
    "Each is made here, of random bytes, and nothing has a default. --file writes them where only its owner reads, and never over a file that is there: whoever loses SEALING_KEYS loses every stored credential.",
  ],
  options: [{ name: "file", value: "FILE", summary: "Write an environment file instead of printing" }],
  examples: ["signalbox secrets", "signalbox secrets --file .env"],
  async run({ options, output }) {
    const secrets = makeSecrets();
    const lines = Object.entries(secrets).map(([name, value]) => `${name}=${value}`);
    const path = options.text("file");
    if (path === undefined) {
      output.result(secrets, () => {
        for (const line of lines) output.line(line);
      });
      return EXIT_CODES.ok.code;
    }
    try {
      await using file = await open(path, "wx", OWNER_ONLY);
      await file.writeFile(`${lines.join("\n")}\n`);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      output.failure(`${path} is there already and was left as it is. Choose another name, or move it away.`);
      return EXIT_CODES.notWell.code;
    }
    output.result({ file: path, names: Object.keys(secrets) }, () =>
      output.line(`${path} holds ${Object.keys(secrets).join(", ")}; only you can read it.`),
    );
    return EXIT_CODES.ok.code;
  },
};

function makeSecrets(): Record<string, string> {
  return {
    OPERATOR_TOKEN: randomBytes(36).toString("base64url"),
    SEALING_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    POSTGRES_PASSWORD: randomBytes(24).toString("base64url"),
  };
}
