/** Counts things that are open under a name, such as a user's streams, up to a limit. */
export interface Ceiling<Beyond> {
  key: string;
  most: number;
  /** The refusal at the limit. */
  refuse: (most: number) => Beyond;
}

/** Counts what is open on this node under several names at once; each has its ceiling. */
export interface OpenCounts {
  /** Gives the function to call when it is closed, or what the first ceiling in the way says. */
  open<Beyond>(ceilings: readonly Ceiling<Beyond>[]): (() => void) | Beyond;
}

export function createOpenCounts(): OpenCounts {
  const counts = new Map<string, number>();
  const change = (key: string, by: number) => {
    const count = (counts.get(key) ?? 0) + by;
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
  };
  return {
    open(ceilings) {
      const reached = ceilings.find(({ key, most }) => (counts.get(key) ?? 0) >= most);
      if (reached !== undefined) return reached.refuse(reached.most);
      for (const { key } of ceilings) change(key, 1);
      let isOpen = true;
      return () => {
        if (isOpen) for (const { key } of ceilings) change(key, -1);
        isOpen = false;
      };
    },
  };
}
