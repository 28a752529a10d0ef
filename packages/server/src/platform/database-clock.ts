/**
 * Goes on from a time the database told: its clock alone dates what is said and sent, and that of this machine may be minutes
 * off. `heardAt` is when the answer came, by the monotonic clock.
 */
export function clockFrom(toldAt: Date, heardAt = performance.now()): () => Date {
  return () => new Date(toldAt.getTime() + performance.now() - heardAt);
}
