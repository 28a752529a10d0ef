import { keyOfSeal, type Sealer } from "./sealing.ts";

/** A stored secret, with what it was sealed for. */
export interface StoredSeal {
  /** Table and column. */
  place: string;
  sealed: Buffer;
  context: string;
}

/**
 * Why these keys are not the ones that stored secrets were sealed with. A service that started all the same would fail at each
 * delivery instead. A seal that is damaged by itself is no reason, as long as the key opens another.
 */
export function reasonsAgainstKeys(sealer: Sealer, seals: StoredSeal[]): string[] {
  const byKey = Map.groupBy(seals, ({ sealed }) => keyOfSeal(sealed));
  return [...byKey].flatMap(([key, ofKey]) => {
    const places = [...new Set(ofKey.map(({ place }) => place))].join(", ");
    if (!sealer.hasKey(key))
      return [
        `SEALING_KEYS lacks the key "${key}" that encrypts stored secrets (${places}); add it after the others, and remove it only after reseal`,
      ];
    if (ofKey.some((seal) => opens(sealer, seal))) return [];
    return [
      `the key "${key}" in SEALING_KEYS is not the one that encrypted stored secrets (${places}); restore its old value, and give a new key a new name`,
    ];
  });
}

function opens(sealer: Sealer, { sealed, context }: StoredSeal): boolean {
  try {
    sealer.open(sealed, context);
    return true;
  } catch {
    return false;
  }
}
