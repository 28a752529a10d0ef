import { isFailure } from "@signalbox/sdk";
import { useState } from "react";
import { useForm } from "react-hook-form";
import {
  Badge,
  Button,
  Field,
  FormDialog,
  Input,
  Panel,
  Problem,
  problemOf,
  showToast,
  SkeletonLines,
  Time,
} from "../../design/index.ts";
import { useAction, useCall } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import { EnrolTotp } from "./enrol-totp.tsx";
import { useSecondFactorWords } from "./second-factor-words.ts";

/** One-time codes from an app, beside one's password. */
export function SecondFactor() {
  const text = useSecondFactorWords();
  const { data, error, refetch } = useCall("getSecondFactor", {});
  const [open, setOpen] = useState<"on" | "off">();
  const close = () => setOpen(undefined);
  return (
    <Panel title={text.title} lead={text.lead}>
      {error !== null ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={1} />
      ) : (
        <div className="flex flex-wrap items-center justify-between gap-3">
          {data.enable_time === null ? (
            <Badge>{text.off}</Badge>
          ) : (
            <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink">
              <Badge tone="good">
                {text.on} <Time at={data.enable_time} as="short" />
              </Badge>
              <span className="text-xs text-ink-soft">{text.codesLeft(data.recovery_codes_left)}</span>
            </span>
          )}
          {data.enable_time === null ? (
            <Button onClick={() => setOpen("on")}>{text.turnOn}</Button>
          ) : (
            <Button className="ml-auto" onClick={() => setOpen("off")}>
              {text.turnOff}
            </Button>
          )}
        </div>
      )}
      {open === "on" && <EnrolTotp onClose={close} />}
      {open === "off" && <TurnOff onClose={close} />}
    </Panel>
  );
}

function TurnOff({ onClose }: { onClose: () => void }) {
  const words = useWords();
  const text = useSecondFactorWords();
  const { register, handleSubmit, setError, formState } = useForm({
    defaultValues: { password: "", one_time_code: "" },
  });
  const disable = useAction("disableTotp", { changes: ["getSecondFactor"] });
  const submit = handleSubmit(async (input) => {
    try {
      await disable.mutateAsync(input);
      showToast({ title: text.isOff });
      onClose();
    } catch (error) {
      if (isFailure(error, "wrongPassword")) setError("password", { message: text.wrongPassword });
      else setError("one_time_code", { message: refusalOf(error) });
    }
  });
  const refusalOf = (error: unknown) => {
    if (isFailure(error, "badParameter")) return text.wrongAnyCode;
    if (isFailure(error, "tooManyRequests")) return text.tooMany;
    return problemOf(error, words).title;
  };
  const { errors, isSubmitting } = formState;
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      width="sm"
      title={text.offTitle}
      description={text.offLead}
      submit={text.turnOff}
      tone="danger"
      busy={isSubmitting}
      onSubmit={submit}
    >
      <Field label={text.password} problem={errors.password?.message}>
        <Input
          type="password"
          autoComplete="current-password"
          autoFocus
          {...register("password", { required: text.wrongPassword })}
        />
      </Field>
      <Field label={text.anyCode} problem={errors.one_time_code?.message}>
        <Input autoComplete="one-time-code" className="font-mono" {...register("one_time_code")} />
      </Field>
    </FormDialog>
  );
}
