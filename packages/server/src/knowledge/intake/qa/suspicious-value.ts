export interface Suspicion {
  /** A stable word. */
  cause: "spreadsheet_error" | "placeholder" | "bare_fraction";
  detail: string;
}

const SPREADSHEET_ERROR = /^#(?:N\/A|REF!|VALUE!|DIV\/0!|NAME\?|NUM!|NULL!|SPILL!|CALC!)$/i;
const PLACEHOLDER =
  /^(?:(?:todo|tbd|tba|tbc|fixme)(?:[\s:.,!?-].*)?|xxx+|n\/?a|\?+|lorem ipsum.*|待定|待补充|待填写|待完善)$/is;
/** A spreadsheet stores 15 % as 0.15, and only shows it as a percentage. */
const BARE_FRACTION = /^0?[.,]\d+$/;
/** Whatever looks like a mistake is short. */
const CHARACTERS_MAX = 200;

/** Why a cell is probably not what its author meant, or undefined. It is imported all the same. */
export function suspicionOf(value: string): Suspicion | undefined {
  if (value.length > CHARACTERS_MAX) return undefined;
  if (SPREADSHEET_ERROR.test(value))
    return { cause: "spreadsheet_error", detail: `the cell holds the spreadsheet error ${value}` };
  if (PLACEHOLDER.test(value))
    return { cause: "placeholder", detail: `the cell looks like a placeholder: ${value}` };
  if (BARE_FRACTION.test(value))
    return {
      cause: "bare_fraction",
      detail: `the cell holds the number ${value}; if it is a percentage, write it as text`,
    };
  return undefined;
}
