import type { Pair } from "@signalbox/contract";
import { useMemo, useState } from "react";
import { Checkbox } from "../../design/index.ts";
import { useKnowledgeWords } from "./words.ts";

/** As many as one call may name. */
const TICKED_MAX = 200;

/** Which of the rows are ticked. One that is no longer in the list is not. */
export interface Ticks {
  selected: readonly Pair[];
  isTicked: (pair: Pair) => boolean;
  tick: (pair: Pair, isTicked: boolean) => void;
  isAll: boolean;
  tickAll: (isTicked: boolean) => void;
  clear: () => void;
}

export function useTicks(rows: readonly Pair[]): Ticks {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  return useMemo(() => {
    const selected = rows.filter(({ pair_id }) => ids.has(pair_id)).slice(0, TICKED_MAX);
    return {
      selected,
      isTicked: ({ pair_id }) => ids.has(pair_id),
      tick: ({ pair_id }, isTicked) =>
        setIds((before) => {
          const next = new Set(before);
          if (isTicked && next.size < TICKED_MAX) next.add(pair_id);
          else next.delete(pair_id);
          return next;
        }),
      isAll: selected.length > 0 && selected.length === Math.min(rows.length, TICKED_MAX),
      tickAll: (isTicked) =>
        setIds(new Set(isTicked ? rows.slice(0, TICKED_MAX).map(({ pair_id }) => pair_id) : [])),
      clear: () => setIds(new Set()),
    };
  }, [rows, ids]);
}

/** Above the row, which opens the pair wherever else it is clicked. */
export function TickBox({ pair, ticks }: { pair: Pair; ticks: Ticks }) {
  const text = useKnowledgeWords();
  return (
    <span className="relative z-10 flex">
      <Checkbox
        labelHidden
        label={text.select(pair.question)}
        checked={ticks.isTicked(pair)}
        onChange={(isTicked) => ticks.tick(pair, isTicked)}
      />
    </span>
  );
}

export function TickAll({ ticks }: { ticks: Ticks }) {
  const text = useKnowledgeWords();
  const { isAll, selected, tickAll } = ticks;
  return (
    <Checkbox
      labelHidden
      label={text.selectAll}
      checked={isAll}
      indeterminate={!isAll && selected.length > 0}
      onChange={tickAll}
    />
  );
}
