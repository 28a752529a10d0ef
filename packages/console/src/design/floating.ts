/** What lies above the page: menus, lists of a select, tooltips. */
export const FLOATING =
  "bg-raised shadow-floating outline-none origin-(--transform-origin) transition-[opacity,scale] duration-100 ease-out-soft data-starting-style:opacity-0 data-starting-style:scale-98 data-ending-style:opacity-0";

/** A line of a menu or a list. */
export const FLOATING_ITEM =
  "flex min-h-8 cursor-default items-center gap-2 rounded-md px-2 py-1 text-sm text-ink outline-none select-none data-highlighted:bg-hover data-disabled:text-ink-faint";
