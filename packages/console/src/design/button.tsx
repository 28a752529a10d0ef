import { Button as BaseButton } from "@base-ui/react/button";
import { Tooltip } from "@base-ui/react/tooltip";
import type { ComponentProps, ReactNode } from "react";
import { classNames } from "./class-names.ts";
import { FLOATING } from "./floating.ts";

type Tone = "primary" | "plain" | "quiet" | "danger";
type Size = "sm" | "md";

const SHAPE =
  "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap select-none transition-colors duration-100 data-disabled:cursor-not-allowed data-disabled:opacity-50 aria-busy:cursor-progress";
const TONES: Record<Tone, string> = {
  primary: "bg-accent-fill text-on-accent hover:not-data-disabled:bg-accent-fill-hover shadow-raised",
  plain:
    "border border-line-strong bg-panel text-ink hover:not-data-disabled:bg-hover data-popup-open:bg-hover shadow-raised",
  quiet:
    "text-ink-soft hover:not-data-disabled:bg-hover hover:not-data-disabled:text-ink data-popup-open:bg-hover",
  danger: "bg-bad-fill text-on-accent hover:not-data-disabled:bg-bad-fill-hover shadow-raised",
};
const SIZES: Record<Size, string> = { sm: "h-7 px-2 text-xs", md: "h-8 px-3 text-sm" };

export interface ButtonLook {
  tone?: Tone;
  size?: Size;
}

/** The look of a button, for links that act like one. */
export function buttonClass({ tone = "plain", size = "md" }: ButtonLook = {}): string {
  return classNames(SHAPE, TONES[tone], SIZES[size]);
}

export type ButtonProps = Omit<ComponentProps<typeof BaseButton>, "className"> &
  ButtonLook & {
    /** The action is under way: the button stays where it is and cannot be pressed again. */
    busy?: boolean;
    icon?: ReactNode;
    className?: string;
  };

export function Button({
  tone,
  size,
  busy = false,
  icon,
  className,
  children,
  disabled,
  ...rest
}: ButtonProps) {
  return (
    <BaseButton
      type="button"
      {...rest}
      disabled={disabled === true || busy}
      focusableWhenDisabled={busy}
      aria-busy={busy || undefined}
      className={classNames(buttonClass({ ...(tone && { tone }), ...(size && { size }) }), className)}
    >
      {icon}
      {children}
    </BaseButton>
  );
}

export type IconButtonProps = Omit<ButtonProps, "children" | "icon"> & {
  /** Its name, which is also its tooltip: an icon alone says nothing. */
  label: string;
  children: ReactNode;
};

export function IconButton({
  label,
  size = "md",
  tone = "quiet",
  className,
  children,
  ...rest
}: IconButtonProps) {
  const side = size === "sm" ? "w-7 px-0!" : "w-8 px-0!";
  return (
    <Tooltip.Root>
      <Tooltip.Trigger
        render={
          <Button
            aria-label={label}
            size={size}
            tone={tone}
            className={classNames(side, className)}
            {...rest}
          />
        }
      >
        {children}
      </Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6} className="z-50">
          <Tooltip.Popup className={classNames(FLOATING, "rounded-md px-2 py-1 text-xs text-ink")}>
            {label}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
