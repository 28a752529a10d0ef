import { Select as BaseSelect } from "@base-ui/react/select";
import { Check, ChevronsUpDown } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";
import { CONTROL } from "./field.tsx";
import { FLOATING, FLOATING_ITEM } from "./floating.ts";

export interface SelectOption<Value> {
  value: Value;
  label: string;
  icon?: ReactNode;
}

export interface SelectProps<Value> {
  /** Its name where no Field gives one. */
  label?: string;
  value: Value;
  options: readonly SelectOption<Value>[];
  onChange: (value: Value) => void;
  disabled?: boolean;
  /** filter: small, with its name before the value, for a row of filters. */
  look?: "control" | "filter";
  className?: string;
}

const FILTER =
  "inline-flex h-7 max-w-56 items-center gap-1.5 rounded-md border border-dashed border-line-strong bg-panel px-2 text-xs text-ink-soft hover:bg-hover data-popup-open:bg-hover";

/** One of a few. `null` is a value like any other: usually "any". */
export function Select<Value extends string | null>(props: SelectProps<Value>) {
  const { label, value, options, onChange, disabled, look = "control", className } = props;
  const chosen = options.find((option) => option.value === value);
  const isFilter = look === "filter";
  const isSet = isFilter && value !== null;
  return (
    <BaseSelect.Root
      value={value}
      items={options.map((option) => ({ value: option.value, label: option.label }))}
      onValueChange={(next) => onChange(next as Value)}
      disabled={disabled ?? false}
      modal={false}
    >
      <BaseSelect.Trigger
        aria-label={isFilter ? `${label}: ${chosen?.label ?? ""}` : label}
        className={classNames(
          isFilter ? FILTER : classNames(CONTROL, "flex h-8 items-center justify-between gap-2 text-left"),
          isSet && "border-solid border-accent/50 bg-accent-soft! text-ink",
          className,
        )}
      >
        {isFilter && <span className={isSet ? "text-ink-soft" : undefined}>{label}</span>}
        {(!isFilter || isSet) && (
          <span className={classNames("truncate", isFilter && "font-medium")}>
            <BaseSelect.Value />
          </span>
        )}
        <ChevronsUpDown className="size-3.5 shrink-0 text-ink-faint" aria-hidden />
      </BaseSelect.Trigger>
      <BaseSelect.Portal>
        <BaseSelect.Positioner sideOffset={4} alignItemWithTrigger={false} align="start" className="z-50">
          <BaseSelect.Popup
            className={classNames(
              FLOATING,
              "max-h-[min(24rem,var(--available-height))] min-w-[max(10rem,var(--anchor-width))] max-w-80 overflow-y-auto rounded-lg p-1",
            )}
          >
            {options.map((option) => (
              <BaseSelect.Item key={option.value ?? ""} value={option.value} className={FLOATING_ITEM}>
                {option.icon}
                <BaseSelect.ItemText className="flex-1 truncate">{option.label}</BaseSelect.ItemText>
                <BaseSelect.ItemIndicator>
                  <Check className="size-3.5 text-accent" aria-hidden />
                </BaseSelect.ItemIndicator>
              </BaseSelect.Item>
            ))}
          </BaseSelect.Popup>
        </BaseSelect.Positioner>
      </BaseSelect.Portal>
    </BaseSelect.Root>
  );
}
