import { Checkbox as BaseCheckbox } from "@base-ui/react/checkbox";
import { Field as BaseField } from "@base-ui/react/field";
import { Switch as BaseSwitch } from "@base-ui/react/switch";
import { Check, Minus } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { classNames } from "./class-names.ts";

export const CONTROL =
  "w-full rounded-md border border-control/60 bg-panel px-2.5 text-sm text-ink shadow-raised transition-colors hover:border-control focus:border-accent focus:outline-2 focus:-outline-offset-1 focus:outline-accent disabled:cursor-not-allowed disabled:opacity-60 data-invalid:border-bad data-invalid:outline-bad";

export interface FieldProps {
  label: string;
  /** Said below the control, and read out with it. */
  help?: ReactNode;
  problem?: string | undefined;
  /** Said after the label: optional, or the unit. */
  note?: string;
  className?: string;
  children: ReactNode;
}

/** A label, one control, and what helps or went wrong, tied together for screen readers. */
export function Field({ label, help, problem, note, className, children }: FieldProps) {
  return (
    <BaseField.Root
      invalid={problem !== undefined}
      className={classNames("flex min-w-0 flex-col gap-1.5", className)}
    >
      <BaseField.Label className="flex items-baseline gap-2 text-sm font-medium text-ink">
        {label}
        {note !== undefined && <span className="text-xs font-normal text-ink-faint">{note}</span>}
      </BaseField.Label>
      {children}
      {help !== undefined && (
        <BaseField.Description className="text-xs text-ink-faint">{help}</BaseField.Description>
      )}
      <BaseField.Error match={problem !== undefined} className="text-xs text-bad">
        {problem}
      </BaseField.Error>
    </BaseField.Root>
  );
}

type InputProps = Omit<ComponentProps<typeof BaseField.Control>, "className"> & { className?: string };

export function Input({ className, ...rest }: InputProps) {
  return <BaseField.Control {...rest} className={classNames(CONTROL, "h-8", className)} />;
}

export function TextArea({
  className,
  rows = 4,
  ...rest
}: Omit<ComponentProps<"textarea">, "ref"> & { ref?: React.Ref<HTMLTextAreaElement> }) {
  return (
    <BaseField.Control
      render={
        <textarea rows={rows} {...rest} className={classNames(CONTROL, "py-1.5 leading-5", className)} />
      }
    />
  );
}

export interface CheckboxProps {
  label: string;
  /** Only for screen readers, as in the first column of a table. */
  labelHidden?: boolean;
  checked: boolean;
  indeterminate?: boolean;
  disabled?: boolean;
  onChange: (checked: boolean) => void;
}

export function Checkbox({
  label,
  labelHidden = false,
  checked,
  indeterminate = false,
  disabled,
  onChange,
}: CheckboxProps) {
  const box = (
    <BaseCheckbox.Root
      checked={checked}
      indeterminate={indeterminate}
      disabled={disabled ?? false}
      onCheckedChange={onChange}
      aria-label={labelHidden ? label : undefined}
      className="relative flex size-4 shrink-0 items-center justify-center rounded-sm border border-control bg-panel after:absolute after:-inset-2 data-checked:border-accent-fill data-checked:bg-accent-fill data-indeterminate:border-accent-fill data-indeterminate:bg-accent-fill data-disabled:opacity-50"
    >
      <BaseCheckbox.Indicator className="text-on-accent">
        {indeterminate ? (
          <Minus className="size-3" strokeWidth={3} />
        ) : (
          <Check className="size-3" strokeWidth={3} />
        )}
      </BaseCheckbox.Indicator>
    </BaseCheckbox.Root>
  );
  if (labelHidden) return box;
  return (
    <label className="flex min-h-6 items-center gap-2 text-sm text-ink">
      {box}
      {label}
    </label>
  );
}

export interface SwitchProps {
  label: string;
  help?: ReactNode;
  checked: boolean;
  disabled?: boolean;
  onChange: (checked: boolean) => void;
}

export function Switch({ label, help, checked, disabled, onChange }: SwitchProps) {
  return (
    <BaseField.Root className="flex items-start justify-between gap-4">
      <span className="flex min-w-0 flex-col">
        <BaseField.Label className="text-sm font-medium text-ink">{label}</BaseField.Label>
        {help !== undefined && (
          <BaseField.Description className="text-xs text-ink-faint">{help}</BaseField.Description>
        )}
      </span>
      <BaseSwitch.Root
        checked={checked}
        disabled={disabled ?? false}
        onCheckedChange={onChange}
        className="relative mt-0.5 flex h-5 w-9 shrink-0 rounded-full border border-control bg-sunken p-px transition-colors after:absolute after:-inset-1.5 data-checked:border-accent-fill data-checked:bg-accent-fill data-disabled:opacity-50"
      >
        <BaseSwitch.Thumb className="size-4 rounded-full bg-control transition-transform data-checked:translate-x-4 data-checked:bg-on-accent" />
      </BaseSwitch.Root>
    </BaseField.Root>
  );
}
