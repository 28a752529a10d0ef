/** What became of an abuser's requests. */
export type Tally = { requests: number; accepted: number; refused: number; failed: number };
