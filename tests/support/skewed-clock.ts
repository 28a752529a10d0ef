/** Loaded before a service by NODE_OPTIONS: its wall clock goes wrong by this many milliseconds, its timers do not. */
const skewMs = Number(process.env["SIGNALBOX_TEST_CLOCK_SKEW_MS"] ?? 0);
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
