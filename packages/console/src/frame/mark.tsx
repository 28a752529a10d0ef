/** The product's sign: a line, its branch and two signals. */
export function Mark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" className={className} aria-hidden>
      <rect width="32" height="32" rx="8" className="fill-accent-fill" />
      <g className="stroke-on-accent" fill="none" strokeWidth="2.6" strokeLinecap="round">
        <path d="M9 22V13a3 3 0 0 1 3-3h8" />
        <path d="M9 22h9" opacity=".65" />
      </g>
      <g className="fill-on-accent">
        <circle cx="22.5" cy="10" r="2.6" />
        <circle cx="20.6" cy="22" r="2.1" opacity=".65" />
      </g>
    </svg>
  );
}
