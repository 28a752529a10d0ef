/** A map of bounded size: what was used longest ago makes room for what is new, so that nobody else's entry is lost. */
export class LruMap<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #sizeMax: number;

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.#moveToEnd(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.#moveToEnd(key, value);
    if (this.#entries.size <= this.#sizeMax) return;
    // A Map is iterated in the order of insertion: the first entry is the oldest.
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  delete(key: Key): boolean {
    return this.#entries.delete(key);
  }

  #moveToEnd(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
  }
}
