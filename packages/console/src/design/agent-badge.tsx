/** A letter on a colour of its own, so that agents are told apart at a glance. */
export function AgentBadge({ name }: { name: string }) {
  return (
    <span
      aria-hidden
      className="flex size-5 shrink-0 items-center justify-center rounded-sm bg-accent-soft text-2xs font-semibold text-accent"
    >
      {[...name.trim()][0]?.toUpperCase() ?? "?"}
    </span>
  );
}
