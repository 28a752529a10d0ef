import type { ReactNode } from "react";
import { Mark } from "./mark.tsx";

/** The page before signing in: a mark, a title, and forms below. */
export function Welcome({ title, lead, children }: { title: string; lead: string; children: ReactNode }) {
  return (
    <main className="flex min-h-full items-center justify-center bg-page px-4 py-10">
      <div className="w-full max-w-sm">
        <Mark className="mb-5 size-10" />
        <h1 className="text-2xl font-semibold tracking-tight text-ink">{title}</h1>
        <p className="mt-1 text-sm text-ink-soft">{lead}</p>
        {children}
      </div>
    </main>
  );
}
