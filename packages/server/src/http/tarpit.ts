/**
 * Tarpit: a refusal over a limit is answered late, so that a client which ignores Retry-After is slowed to one request a
 * second on each connection, and a flood of refusals does not cost what the refused work would have.
 */
export type Tarpit = () => Promise<void>;

export function createTarpit({ delayMs = 1_000, heldMax = 1_000 } = {}): Tarpit {
  let held = 0;
  return async () => {
    // With `heldMax` held already, holding one more would cost more than answering it.
    if (held >= heldMax) return;
    held += 1;
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    held -= 1;
  };
}
