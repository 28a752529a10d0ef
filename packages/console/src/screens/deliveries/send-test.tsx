import { type DeliveryDetail, TestableEvent, type WebhookProbe } from "@signalbox/contract";
import { CircleCheck, CircleX } from "lucide-react";
import { useState } from "react";
import { Button, CodeView, Dialog, duration, Field, Problem, TextArea } from "../../design/index.ts";
import { useAction } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { jsonObjectIn } from "./json-object.ts";

export interface SendTestProps {
  delivery: DeliveryDetail;
  onClose: () => void;
}

/** Whether a delivery can be sent as a test: its body must still be there, and its event one that has tests. */
export function isTestable({ event, body }: Pick<DeliveryDetail, "event" | "body">): boolean {
  return TestableEvent.safeParse(event).success && jsonObjectIn(body) !== undefined;
}

/** The body of a delivery, to be edited and sent once more as a test: marked so, not queued, not tried again. */
export function SendTest({ delivery, onClose }: SendTestProps) {
  const words = useScreenWords();
  const text = words.deliveries.test;
  const [code, setCode] = useState(() => JSON.stringify(jsonObjectIn(delivery.body) ?? {}, null, 2));
  const send = useAction("sendTestEvent");
  const body = jsonObjectIn(code);
  const event = TestableEvent.safeParse(delivery.event).data;
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={text.title}
      description={text.lead}
      width="lg"
      footer={
        <>
          <Button onClick={onClose}>{words.common.close}</Button>
          <Button
            tone="primary"
            busy={send.isPending}
            disabled={body === undefined || event === undefined}
            onClick={() => {
              if (body === undefined || event === undefined) return;
              const { agent_id, webhook_id } = delivery;
              send.mutate({ agent_id, webhook_id, event, body });
            }}
          >
            {text.send}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {/* Not CodeMirror: text that Chromium edits in place gets style attributes, which the CSP forbids. */}
        <Field label={words.deliveries.requestBody} problem={body === undefined ? text.notJson : undefined}>
          <TextArea
            rows={14}
            spellCheck={false}
            className="font-mono text-xs"
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        </Field>
        <div aria-live="polite" className="flex flex-col gap-3">
          {send.isError && <Problem error={send.error} />}
          {send.data !== undefined && !send.isPending && <TestResult probe={send.data} />}
        </div>
      </div>
    </Dialog>
  );
}

function TestResult({ probe }: { probe: WebhookProbe }) {
  const words = useScreenWords();
  const { httpStatus, noAnswer, responseBody } = words.deliveries;
  const isGood = probe.cause === null;
  const Icon = isGood ? CircleCheck : CircleX;
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-2 text-sm font-medium text-ink">
        <Icon className={isGood ? "size-4 text-good" : "size-4 text-bad"} aria-hidden />
        {probe.http_status === 0 ? noAnswer : httpStatus(probe.http_status)}
        <span className="tabular font-normal text-ink-faint">{duration(probe.latency_ms)}</span>
      </p>
      {probe.cause !== null && (
        <p className="text-sm text-ink-soft">
          <span className="font-medium text-ink">{words.causes[probe.cause].title}.</span>{" "}
          {words.causes[probe.cause].fix}
        </p>
      )}
      {probe.response_body !== null && probe.response_body !== "" && (
        <CodeView label={responseBody} code={probe.response_body} json />
      )}
    </>
  );
}
