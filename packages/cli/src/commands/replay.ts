import { setTimeout as sleep } from "node:timers/promises";
import type { Delivery, Replay } from "@signalbox/contract";
import { type Command, type CommandContext, oneOf, UsageError, wholeNumber } from "../command.ts";
import { EXIT_CODES, type ExitCode, exitCodeFor } from "../exit-codes.ts";
import { filterOptions, readFilter } from "./deliveries.ts";

const STATES = ["delivered", "dead"] as const;
const LOOK_AGAIN_MS = 500;

export const replayCommand: Command = {
  name: "replay",
  summary: "Send deliveries again: those named, or all that fit a filter",
  about: [
    "With a filter it only counts what fits, until --yes is given. To its receiver a replay is the same message, with the id it had. Needs the operator token.",
  ],
  arguments: [{ name: "DELIVERY", summary: "Send this one again", many: true }],
  options: [
    ...filterOptions.map((option) => (option.name === "state" ? { ...option, choices: STATES } : option)),
    { name: "yes", summary: "Send all that fit" },
    { name: "rate", value: "N", summary: "How many a second; 10 by default" },
    { name: "wait", summary: "Wait until all of them arrived or were given up" },
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
  for (const delivery_id of ids) replayed.push(await client().replayDelivery({ delivery_id }));
  output.result({ list: replayed }, () => {
    for (const { delivery_id, replay_of } of replayed)
      output.line(`${replay_of ?? ""} goes out again as ${delivery_id}`);
  });
  return EXIT_CODES.ok.code;
}

async function replayMatching({ client, options, output }: CommandContext): Promise<ExitCode> {
  const state = oneOf(options.text("state"), STATES, "--state");
  const filter = { ...readFilter(options, Date.now()), ...(state !== undefined && { state }) };
  if (Object.keys(filter).length === 0)
    throw new UsageError("name deliveries, or narrow what to send again, such as --state dead --since 2h");
  const rate = wholeNumber(options.text("rate"), "--rate");
  const isMeant = options.isOn("yes");
  const started = await client().startReplay({
    filter,
    dry_run: !isMeant,
    ...(rate !== undefined && { rate_per_second: rate }),
  });
  if (started.replay_id === null || !options.isOn("wait")) {
    output.result(started, () =>
      output.line(
        isMeant
          ? `${started.matched} go out again, as replay ${started.replay_id}`
          : `${started.matched} fit; --yes sends them again`,
      ),
    );
    return EXIT_CODES.ok.code;
  }
  let replay: Replay;
  let told = "";
  do {
    await sleep(LOOK_AGAIN_MS);
    replay = await client().getReplay({ replay_id: started.replay_id });
    const text = `${replay.delivered} of ${replay.matched} arrived, ${replay.dead} given up`;
    if (text !== told) output.note(text);
    told = text;
  } while (replay.state === "running" || replay.delivered + replay.dead < replay.enqueued);
  const done = replay;
  output.result(done, () => output.line(`${done.delivered} arrived, ${done.dead} given up`));
  return exitCodeFor(done.dead === 0);
}
