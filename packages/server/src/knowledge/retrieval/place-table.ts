/** Places by whole numbers, as a Map would keep them, in flat memory: it is asked about every character of every candidate. */
export interface PlaceTable {
  /** Negative for what is not there. */
  placeOf(key: number): number;
}

const NOT_THERE = -1;
/** Spreads neighbouring keys: the golden ratio in 32 bits. */
const SPREAD = 0x9e3779b1;

/** The first of equal keys keeps its place. */
export function createPlaceTable(entries: readonly (readonly [key: number, place: number])[]): PlaceTable {
  const bits = 4 + Math.ceil(Math.log2(entries.length + 1));
  const mask = 2 ** bits - 1;
  const keys = new Int32Array(mask + 1);
  const places = new Int16Array(mask + 1).fill(NOT_THERE);
  const slotOf = (key: number) => {
    let slot = Math.imul(key, SPREAD) >>> (32 - bits);
    while (places[slot] !== NOT_THERE && keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  };
  for (const [key, place] of entries) {
    const slot = slotOf(key | 0);
    if (places[slot] !== NOT_THERE) continue;
    keys[slot] = key;
    places[slot] = place;
  }
  return { placeOf: (key) => places[slotOf(key | 0)]! };
}
