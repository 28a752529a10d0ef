import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { CopyLine } from "./copy.tsx";

export interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  children?: ReactNode;
  /** The command that would fill the page. */
  command?: string;
  actions?: ReactNode;
}

/** Nothing is here yet: why, and what to do next. */
export function EmptyState({ icon: Icon, title, children, command, actions }: EmptyStateProps) {
  return (
    <div className="mx-auto flex w-full max-w-lg flex-col items-center px-4 py-14 text-center">
      <span className="mb-4 flex size-10 items-center justify-center rounded-xl border border-line bg-panel text-ink-faint shadow-raised">
        <Icon className="size-5" aria-hidden />
      </span>
      <h2 className="text-base font-semibold text-ink">{title}</h2>
      {children !== undefined && (
        <p className="mt-1 max-w-md text-sm text-balance text-ink-soft">{children}</p>
      )}
      {command !== undefined && <CopyLine className="mt-5 w-full text-left" text={command} />}
      {actions !== undefined && <div className="mt-5 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
