/** A place for so many at a time, in the order they came. */
export interface Admission {
  /** Gives the function to leave by, or undefined when no place came free in time. */
  enter(waitMs: number): Promise<(() => void) | undefined>;
}

export function createAdmission(places: number): Admission {
  let free = places;
  const waiting = new Set<() => void>();

  function leave(): void {
    const [next] = waiting;
    if (next === undefined) free += 1;
    else {
      waiting.delete(next);
      next();
    }
  }

  return {
    enter(waitMs) {
      if (free > 0) {
        free -= 1;
        return Promise.resolve(leave);
      }
      return new Promise((resolve) => {
        const admit = () => {
          clearTimeout(timer);
          resolve(leave);
        };
        const timer = setTimeout(() => {
          waiting.delete(admit);
          resolve(undefined);
        }, waitMs);
        waiting.add(admit);
      });
    },
  };
}
