import type { ModelFailure, ModelTest } from "@signalbox/contract";
import { CircleCheck, CircleX } from "lucide-react";
import { Badge, duration, Facts, Time } from "../../design/index.ts";
import { useModelWords } from "./model-words.ts";

/** What a test of a model found, or why its last call failed. */
export function ModelState({ test, failure }: { test: ModelTest | undefined; failure: ModelFailure | null }) {
  const text = useModelWords();
  const shown = test === undefined ? failure : test.failure;
  return (
    <div aria-live="polite">
      {test?.works === true ? (
        <div className="mt-4 flex flex-col items-start gap-3 border-t border-line pt-4">
          <Badge tone="good" icon={CircleCheck}>
            {text.works}
          </Badge>
          <Facts
            facts={[
              { label: text.asked, value: test.asked },
              {
                label: text.answer,
                value: test.dimensions === null ? test.answer : text.vector(test.dimensions),
              },
              { label: text.took, value: duration(test.latency_ms) },
              { label: text.tokens, value: test.tokens },
            ]}
          />
        </div>
      ) : (
        shown !== null && (
          <div className="mt-4 flex flex-col items-start gap-3 border-t border-line pt-4">
            <p className="flex flex-wrap items-center gap-2">
              <Badge tone="bad" icon={CircleX}>
                {test === undefined ? text.failedAt : text.fails}
              </Badge>
              <Time at={shown.time} className="text-xs text-ink-faint" />
            </p>
            <ModelFailureText failure={shown} />
          </div>
        )
      )}
    </div>
  );
}

export function ModelFailureText({ failure }: { failure: ModelFailure }) {
  const text = useModelWords();
  const { message, advice } = text.causes[failure.cause];
  return (
    <div className="flex flex-col gap-1 text-sm">
      <p className="font-medium text-ink">{message}</p>
      <p className="text-ink-soft">{advice}</p>
      <p className="text-xs text-ink-faint">
        {text.detail}: <span className="font-mono wrap-anywhere">{failure.detail}</span>
      </p>
    </div>
  );
}
