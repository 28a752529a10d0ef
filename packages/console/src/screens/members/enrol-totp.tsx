import type { RecoveryCodes, TotpEnrolment } from "@signalbox/contract";
import { isFailure } from "@signalbox/sdk";
import { useState } from "react";
import { useForm } from "react-hook-form";
import {
  Button,
  CopyButton,
  CopyLine,
  Dialog,
  Field,
  FormDialog,
  Input,
  problemOf,
  showToast,
} from "../../design/index.ts";
import { useAction } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import { QrCode } from "./qr-code.tsx";
import { useSecondFactorWords } from "./second-factor-words.ts";

/** Password, then the QR code and a first code, then the recovery codes this once. */
export function EnrolTotp({ onClose }: { onClose: () => void }) {
  const [enrolment, setEnrolment] = useState<TotpEnrolment>();
  const [codes, setCodes] = useState<RecoveryCodes>();
  if (codes !== undefined) return <ShowCodes codes={codes.recovery_codes} onClose={onClose} />;
  if (enrolment !== undefined) return <Scan enrolment={enrolment} onDone={setCodes} onClose={onClose} />;
  return <AskPassword onDone={setEnrolment} onClose={onClose} />;
}

interface StepProps<Result> {
  onDone: (result: Result) => void;
  onClose: () => void;
}

function AskPassword({ onDone, onClose }: StepProps<TotpEnrolment>) {
  const words = useWords();
  const text = useSecondFactorWords();
  const { register, handleSubmit, setError, formState } = useForm({ defaultValues: { password: "" } });
  const start = useAction("startTotp");
  const submit = handleSubmit(async (input) => {
    try {
      onDone(await start.mutateAsync(input));
    } catch (error) {
      setError("password", { message: refusalOf(error) });
    }
  });
  const refusalOf = (error: unknown) => {
    if (isFailure(error, "wrongPassword") || isFailure(error, "badParameter")) return text.wrongPassword;
    if (isFailure(error, "tooManyRequests")) return text.tooMany;
    return problemOf(error, words).title;
  };
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      width="sm"
      title={text.title}
      description={text.passwordLead}
      submit={text.next}
      busy={formState.isSubmitting}
      onSubmit={submit}
    >
      <Field label={text.password} problem={formState.errors.password?.message}>
        <Input type="password" autoComplete="current-password" autoFocus {...register("password")} />
      </Field>
    </FormDialog>
  );
}

function Scan({ enrolment, onDone, onClose }: { enrolment: TotpEnrolment } & StepProps<RecoveryCodes>) {
  const words = useWords();
  const text = useSecondFactorWords();
  const { register, handleSubmit, setError, formState } = useForm({ defaultValues: { one_time_code: "" } });
  const confirm = useAction("confirmTotp", { changes: ["getSecondFactor", "listSessions"] });
  const submit = handleSubmit(async (input) => {
    try {
      onDone(await confirm.mutateAsync(input));
    } catch (error) {
      const message = isFailure(error, "badParameter") ? text.wrongCode : problemOf(error, words).title;
      setError("one_time_code", { message });
    }
  });
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      width="sm"
      title={text.scanTitle}
      description={text.scanLead}
      submit={text.turnOn}
      busy={formState.isSubmitting}
      onSubmit={submit}
    >
      <div className="flex justify-center">
        <QrCode text={enrolment.otpauth_uri} label={text.qrCode} />
      </div>
      <div>
        <p className="mb-1.5 text-xs text-ink-soft">{text.byHand}</p>
        <CopyLine text={enrolment.totp_secret} />
      </div>
      <Field label={text.code} help={text.codeHelp} problem={formState.errors.one_time_code?.message}>
        <Input
          inputMode="numeric"
          autoComplete="one-time-code"
          autoFocus
          className="font-mono"
          {...register("one_time_code")}
        />
      </Field>
    </FormDialog>
  );
}

function ShowCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const text = useSecondFactorWords();
  const done = () => {
    showToast({ title: text.isOn, description: text.isOnLead });
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={done}
      width="sm"
      title={text.codesTitle}
      description={text.codesLead}
      footer={
        <>
          <CopyButton autoFocus text={codes.join("\n")} label={text.copyCodes} />
          <Button tone="primary" onClick={done}>
            {text.saved}
          </Button>
        </>
      }
    >
      <ul className="grid grid-cols-1 gap-x-6 gap-y-1 rounded-md border border-line bg-sunken p-3 font-mono text-sm text-ink sm:grid-cols-2">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
    </Dialog>
  );
}
