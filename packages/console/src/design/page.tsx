import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";
import { useScreenTitle } from "./screen-title.ts";

export interface PageProps {
  title: string;
  /** Beside the title: a state, a count, an id. */
  beside?: ReactNode;
  /** One sentence below it. */
  lead?: ReactNode;
  /** Above the title: the way back. */
  above?: ReactNode;
  actions?: ReactNode;
  /** full: the content fills the window and scrolls by itself, as a long table does. */
  layout?: "reading" | "wide" | "full";
  children: ReactNode;
}

const WIDTHS = { reading: "max-w-4xl", wide: "max-w-7xl", full: "" };

/** The head of a screen and what stands below it. */
export function Page({ title, beside, lead, above, actions, layout = "wide", children }: PageProps) {
  useScreenTitle(title);
  const isFull = layout === "full";
  return (
    <div className={classNames("flex min-h-full flex-col", isFull && "h-full min-h-0")}>
      <header className="shrink-0 px-4 pt-5 pb-3 sm:px-6">
        <div className={classNames("mx-auto w-full", WIDTHS[layout])}>
          {above}
          <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
            <h1 className="min-w-0 text-xl font-semibold tracking-tight text-ink">{title}</h1>
            {beside}
            {actions !== undefined && (
              <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>
            )}
          </div>
          {lead !== undefined && <p className="mt-1 max-w-3xl text-sm text-ink-soft">{lead}</p>}
        </div>
      </header>
      <div className={classNames("flex-1", isFull ? "flex min-h-0 flex-col" : "px-4 pb-16 sm:px-6")}>
        {isFull ? children : <div className={classNames("mx-auto w-full", WIDTHS[layout])}>{children}</div>}
      </div>
    </div>
  );
}

export interface PanelProps {
  title?: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  /** Its content brings its own padding, as a table does. */
  flush?: boolean;
  className?: string;
  children: ReactNode;
}

/** A part of a screen on a surface of its own. */
export function Panel({ title, lead, actions, flush = false, className, children }: PanelProps) {
  return (
    <section
      className={classNames("min-w-0 rounded-lg border border-line bg-panel shadow-raised", className)}
    >
      {(title !== undefined || actions !== undefined) && (
        <header className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2">
          <div className="min-w-0">
            <h2 className="text-sm font-semibold text-ink">{title}</h2>
            {lead !== undefined && <p className="text-xs text-ink-faint">{lead}</p>}
          </div>
          {actions !== undefined && (
            <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>
          )}
        </header>
      )}
      <div className={flush ? undefined : "p-4"}>{children}</div>
    </section>
  );
}

export interface Fact {
  label: string;
  value: ReactNode;
}

/** The known facts about a thing, name by name. */
export function Facts({
  facts,
  className,
}: {
  facts: readonly (Fact | undefined | false)[];
  className?: string;
}) {
  return (
    <dl
      className={classNames(
        "grid grid-cols-[minmax(6rem,auto)_minmax(0,1fr)] content-start items-baseline gap-x-4 gap-y-2 text-sm",
        className,
      )}
    >
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact.label} className="contents">
              <dt className="text-ink-faint">{fact.label}</dt>
              <dd className="flex min-w-0 items-center text-ink">{fact.value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

export function Key({ children }: { children: ReactNode }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm border border-line-strong bg-sunken px-1 font-sans text-2xs font-medium text-ink-soft">
      {children}
    </kbd>
  );
}
