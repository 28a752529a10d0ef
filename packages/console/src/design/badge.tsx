import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

export type BadgeTone = "neutral" | "good" | "warn" | "bad" | "accent";

const TONES: Record<BadgeTone, string> = {
  neutral: "bg-hover text-ink-soft",
  good: "bg-good-soft text-good",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  accent: "bg-accent-soft text-accent",
};

export interface BadgeProps {
  tone?: BadgeTone;
  /** A state has a shape as well as a colour. */
  icon?: LucideIcon;
  children: ReactNode;
  className?: string;
}

export function Badge({ tone = "neutral", icon: Icon, children, className }: BadgeProps) {
  return (
    <span
      className={classNames(
        "inline-flex h-5 max-w-full items-center gap-1 rounded-sm px-1.5 text-xs font-medium whitespace-nowrap",
        TONES[tone],
        className,
      )}
    >
      {Icon !== undefined && <Icon className="size-3 shrink-0" strokeWidth={2.4} aria-hidden />}
      <span className="truncate">{children}</span>
    </span>
  );
}
