export interface ProgressBar {
  /** Without a total, just how many there are by now. */
  show(done: number, total?: number): void;
  /** Leaves no trace. */
  end(): void;
}

const CELLS = 30;
const LINE_START_AND_CLEAR = "\r\u001B[K";

const count = new Intl.NumberFormat("en-US");

export function createProgressBar(what: string, write: (text: string) => void): ProgressBar {
  return {
    show(done, total) {
      const how = total === undefined ? count.format(done) : barOf(done, total);
      write(`${LINE_START_AND_CLEAR}${what}  ${how}`);
    },
    end: () => write(LINE_START_AND_CLEAR),
  };
}

function barOf(done: number, total: number): string {
  const cells = Math.min(CELLS, Math.round((CELLS * done) / Math.max(1, total)));
  const bar = "█".repeat(cells) + "░".repeat(CELLS - cells);
  return `${bar}  ${count.format(done)} of ${count.format(total)}`;
}
