import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

/** A link or button with this class is hit anywhere in its row, and its row shows that it is focused. */
export const ROW_LINK =
  "outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent";

export interface RowButtonProps {
  onClick: () => void;
  className?: string;
  children: ReactNode;
}

/** For a row that opens beside its list; `data-row-link` is what the keys of the list move between. */
export function RowButton({ onClick, className, children }: RowButtonProps) {
  return (
    <button type="button" data-row-link onClick={onClick} className={classNames(ROW_LINK, className)}>
      {children}
    </button>
  );
}
