import { setTimeout as sleep } from "node:timers/promises";
import type { Delivery, Replay } from "@signalbox/contract";
import { type Command, type CommandContext, oneOf, UsageError, wholeNumber } from "../command.ts";
import { EXIT_CODES, type ExitCode, exitCodeFor } from "../exit-codes.ts";
import { filterOptions, readFilter } from "./deliveries.ts";

const STATES = ["delivered", "dead"] as const;
const LOOK_AGAIN_MS = 500;

export const replayCommand: Command = {
  name: "replay",
  summary: "Send deliveries again, by id or by filter",
  about: [
    "With a filter, it only counts matching deliveries until you add --yes. The receiver gets the same message with the same webhook-id. Requires an operator token.",
  ],
  arguments: [{ name: "DELIVERY", summary: "Delivery to send again", many: true }],
  options: [
    ...filterOptions.map((option) => (option.name === "state" ? { ...option, choices: STATES } : option)),
    { name: "yes", summary: "Send all matching deliveries" },
    { name: "rate", value: "N", summary: "Deliveries per second; 10 by default" },
    { name: "wait", summary: "Wait until all are delivered or dead-lettered" },
  ],
  examples: [
    "signalbox replay 0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21",
    "signalbox replay --state dead --since 6h",
    "signalbox replay --state dead --since 6h --yes --wait",
  ],
  run: (context) => (context.arguments.length > 0 ? replayNamed(context) : replayMatching(context)),
};

async function replayNamed({ arguments: ids, client, output }: CommandContext): Promise<ExitCode> {
  const replayed: Delivery[] = [];
  for (const delivery_id of ids) replayed.push(await client().deliveries.replay({ delivery_id }));
  output.result({ list: replayed }, () => {
    for (const { delivery_id, replay_of } of replayed)
      output.line(`Replayed ${replay_of ?? ""} as ${delivery_id}`);
  });
  return EXIT_CODES.ok.code;
}

async function replayMatching({ client, options, output }: CommandContext): Promise<ExitCode> {
  const state = oneOf(options.text("state"), STATES, "--state");
  const filter = { ...readFilter(options, Date.now()), ...(state !== undefined && { state }) };
  if (Object.keys(filter).length === 0)
    throw new UsageError("Name deliveries, or give a filter such as --state dead --since 2h");
  const rate = wholeNumber(options.text("rate"), "--rate");
  const isMeant = options.isOn("yes");
  const started = await client().replays.start({
    filter,
    dry_run: !isMeant,
    ...(rate !== undefined && { rate_per_second: rate }),
  });
  if (started.replay_id === null || !options.isOn("wait")) {
    output.result(started, () =>
      output.line(
        isMeant
          ? `Started replay ${started.replay_id} of ${started.matched} deliveries.`
          : `${started.matched} deliveries match. Add --yes to send them again.`,
      ),
    );
    return EXIT_CODES.ok.code;
  }
  let replay: Replay;
  let told = "";
  do {
    await sleep(LOOK_AGAIN_MS);
    replay = await client().replays.get({ replay_id: started.replay_id });
    const text = `${replay.delivered} of ${replay.matched} delivered, ${replay.dead} dead-lettered`;
    if (text !== told) output.note(text);
    told = text;
  } while (replay.state === "running" || replay.delivered + replay.dead < replay.enqueued);
  const done = replay;
  output.result(done, () => output.line(`${done.delivered} delivered, ${done.dead} dead-lettered`));
  return exitCodeFor(done.dead === 0);
}
