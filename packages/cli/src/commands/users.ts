import { writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Erasure, UserOfAgent } from "@signalbox/contract";
import { AGENT_OPTION, agentOf } from "../agent-of.ts";
import { type Command, type CommandContext, oneOf, required, UsageError } from "../command.ts";
import { EXIT_CODES, type ExitCode } from "../exit-codes.ts";
import { timeText } from "../output.ts";

const ACTIONS = ["export", "erase", "erasures"] as const;
const LOOK_AGAIN_MS = 500;
const EXPORT_MS = 600_000;

export const usersCommand: Command = {
  name: "users",
  summary: "Export or erase a user's personal data",
  about: [
    "`export` prints everything stored about the user as one JSON document. `erase` permanently deletes it and requires --yes. `erasures` lists past erasures.",
    "Requires an operator token.",
  ],
  arguments: [{ name: "ACTION", summary: "Action to run", choices: ACTIONS, required: true }],
  options: [
    { name: "user", value: "ID", summary: "user_id of the user" },
    { name: "anonymous", value: "ID", summary: "anonymous_id of the user" },
    AGENT_OPTION,
    { name: "out", value: "FILE", summary: "Write the export to this file, readable only by you" },
    { name: "yes", summary: "Confirm the erasure" },
    { name: "wait", summary: "Wait until the erasure has finished" },
  ],
  examples: [
    "signalbox users export --user 4711 --out 4711.json",
    "signalbox users erase --user 4711 --yes --wait",
    "signalbox users erasures",
  ],
  run(context) {
    switch (oneOf(context.arguments[0], ACTIONS, "ACTION")) {
      case "export":
        return exportUser(context);
      case "erase":
        return eraseUser(context);
      case "erasures":
        return listErasures(context);
      default:
        throw new UsageError("Missing ACTION");
    }
  },
};

function userOf({ options }: CommandContext): UserOfAgent {
  const [user_id, anonymous_id] = [options.text("user"), options.text("anonymous")];
  if (user_id !== undefined && anonymous_id !== undefined)
    throw new UsageError("Give either --user or --anonymous, not both");
  return user_id === undefined
    ? { anonymous_id: required(anonymous_id, "--user ID or --anonymous ID") }
    : { user_id };
}

async function exportUser(context: CommandContext): Promise<ExitCode> {
  const { client, options, output } = context;
  const user = userOf(context);
  const agent_id = await agentOf(client(), options.text("agent"));
  const exported = await client().users.export({ agent_id, ...user }, { timeoutMs: EXPORT_MS });
  const file = options.text("out");
  if (file === undefined) {
    output.line(JSON.stringify(exported, null, 2));
    return EXIT_CODES.ok.code;
  }
  await writeFile(file, `${JSON.stringify(exported, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  const conversations = exported.conversations.length;
  output.result({ file, conversations }, () =>
    output.line(`Exported ${conversations} conversations to ${file}.`),
  );
  return EXIT_CODES.ok.code;
}

async function eraseUser(context: CommandContext): Promise<ExitCode> {
  const { client, options, output } = context;
  const user = userOf(context);
  if (!options.isOn("yes"))
    throw new UsageError("An erasure cannot be undone. Check the data with `users export`, then add --yes");
  const agent_id = await agentOf(client(), options.text("agent"));
  const started = await client().users.erase({ agent_id, ...user });
  const erasure = options.isOn("wait") ? await finished(context, started) : started;
  output.result(erasure, () => {
    const { conversations, messages, deliveries_stopped } = erasure.erased;
    output.line(
      erasure.state === "finished"
        ? `Erased ${conversations} conversations with ${messages} messages and stopped ${deliveries_stopped} deliveries.`
        : `Erasure ${erasure.erasure_id} is running. See its progress with \`signalbox users erasures\`.`,
    );
  });
  return EXIT_CODES.ok.code;
}

async function finished({ client, output }: CommandContext, started: Erasure): Promise<Erasure> {
  const bar = output.bar("Erasing conversations");
  let erasure = started;
  while (erasure.state === "running") {
    const { conversations } = erasure.erased;
    bar.show(conversations, conversations + erasure.conversations_left);
    await sleep(LOOK_AGAIN_MS);
    erasure = await client().users.getErasure({ erasure_id: started.erasure_id });
  }
  bar.end();
  return erasure;
}

async function listErasures({ client, options, output }: CommandContext): Promise<ExitCode> {
  const agent_id = options.text("agent");
  const page = await client().users.listErasures({ limit: 100, ...(agent_id !== undefined && { agent_id }) });
  output.result(page, () => {
    const rows = page.list.map(({ scope, state, erased, conversations_left, create_time, ...erasure }) => [
      timeText(create_time),
      scope,
      state,
      String(erased.conversations),
      String(conversations_left),
      erasure.erasure_id,
    ]);
    output.table(["started (UTC)", "scope", "state", "conversations", "left", "erasure_id"], rows);
  });
  return EXIT_CODES.ok.code;
}
