/** A number as a text writes it, in digits or in words. */
export interface WrittenNumber {
  /** In digits, without zeros in front. */
  value: string;
  /** Parts that may stand for it: the groups of "1,000", each digit of 三五天. Empty where none may. */
  parts: string[];
  /** Where it stands. */
  from: number;
  to: number;
  inWords: boolean;
  /** "two ways", "within a week": a source states it, and a claim need not prove it. */
  isIncidental: boolean;
}

/** "two ways" counts what is listed. A larger number of them is a fact. */
export const COUNT_MAX = 9;
