import { readFileSync } from "node:fs";

/**
 * Loaded before a service by NODE_OPTIONS: its wall clock goes wrong by this many milliseconds, its timers do not. With a
 * directory of clocks the number is read again and again from the file named after the process's port, and so can jump.
 */
let skewMs = Number(process.env["SIGNALBOX_TEST_CLOCK_SKEW_MS"] ?? 0);
const clocks = process.env["SIGNALBOX_TEST_CLOCKS"];
const LOOK_EVERY_MS = 100;
const RealDate = Date;

globalThis.Date = new Proxy(RealDate, {
  construct(target, given: unknown[], made) {
    const parameters = given.length === 0 ? [RealDate.now() + skewMs] : given;
    return Reflect.construct(target, parameters, made) as Date;
  },
  apply: () => new RealDate(RealDate.now() + skewMs).toString(),
  get: (target, name, receiver) =>
    name === "now" ? () => RealDate.now() + skewMs : (Reflect.get(target, name, receiver) as unknown),
});

if (clocks !== undefined) {
  setInterval(() => {
    const told = readSkew(`${clocks}/${process.env["PORT"] ?? ""}`);
    if (told === skewMs) return;
    skewMs = told;
    process.stderr.write(`the clock jumped: ${new Date().toISOString()}\n`);
  }, LOOK_EVERY_MS).unref();
}

function readSkew(file: string): number {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return 0;
  }
}
