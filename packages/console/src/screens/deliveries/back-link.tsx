import { Link } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useScreenWords } from "../../words/index.ts";

/** Above the title of what was opened from the list. */
export function BackToDeliveries() {
  const text = useScreenWords().deliveries;
  return (
    <Link
      to="/deliveries"
      className="mb-2 inline-flex items-center gap-1.5 text-xs text-ink-soft hover:text-ink"
    >
      <ArrowLeft className="size-3.5" aria-hidden />
      {text.backToList}
    </Link>
  );
}
