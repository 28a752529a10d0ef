import { AlertDialog } from "@base-ui/react/alert-dialog";
import { Dialog as BaseDialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { useWords } from "../words/index.ts";
import { Button, IconButton } from "./button.tsx";
import { classNames } from "./class-names.ts";
import { useReturnFocus } from "./use-return-focus.ts";
import { showProblem } from "./problem.tsx";

const BACKDROP =
  "fixed inset-0 z-40 bg-scrim transition-opacity duration-150 data-starting-style:opacity-0 data-ending-style:opacity-0";
const POPUP =
  "fixed top-[12vh] left-1/2 z-40 flex max-h-[80vh] w-[calc(100vw-2rem)] -translate-x-1/2 flex-col rounded-xl bg-raised shadow-floating outline-none transition-[opacity,scale] duration-150 ease-out-soft data-starting-style:scale-98 data-starting-style:opacity-0 data-ending-style:opacity-0";

export interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  /** The actions, the main one last. */
  footer?: ReactNode;
  width?: "sm" | "md" | "lg";
  children?: ReactNode;
}

const WIDTHS = { sm: "max-w-md", md: "max-w-xl", lg: "max-w-3xl" };

export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  footer,
  width = "md",
  children,
}: DialogProps) {
  const words = useWords();
  const popup = useRef<HTMLDivElement>(null);
  const finalFocus = useReturnFocus(open, popup);
  return (
    <BaseDialog.Root open={open} onOpenChange={onOpenChange}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={BACKDROP} />
        {/* Where no field takes the focus, Close would, with its tooltip. */}
        <BaseDialog.Popup
          ref={popup}
          initialFocus={popup}
          finalFocus={finalFocus}
          className={classNames(POPUP, WIDTHS[width])}
        >
          <header className="flex items-start gap-3 px-5 pt-4">
            <div className="min-w-0 flex-1">
              <BaseDialog.Title className="text-lg font-semibold text-ink">{title}</BaseDialog.Title>
              {description !== undefined && (
                <BaseDialog.Description className="mt-0.5 text-sm text-ink-soft">
                  {description}
                </BaseDialog.Description>
              )}
            </div>
            <BaseDialog.Close
              render={
                <IconButton label={words.common.close} size="sm">
                  <X className="size-4" aria-hidden />
                </IconButton>
              }
            />
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">{children}</div>
          {footer !== undefined && (
            <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">
              {footer}
            </footer>
          )}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

export interface ConfirmDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description: ReactNode;
  confirm: string;
  tone?: "danger" | "primary";
  onConfirm: () => Promise<unknown>;
}

/** Asks before what cannot be undone. Stays open while it works, and when it fails, which it tells. */
export function ConfirmDialog({
  open,
  onOpenChange,
  title,
  description,
  confirm,
  tone = "danger",
  onConfirm,
}: ConfirmDialogProps) {
  const words = useWords();
  const [busy, setBusy] = useState(false);
  const popup = useRef<HTMLDivElement>(null);
  const finalFocus = useReturnFocus(open, popup);
  const act = async () => {
    setBusy(true);
    try {
      await onConfirm();
      onOpenChange(false);
    } catch (error) {
      showProblem(error, words);
    } finally {
      setBusy(false);
    }
  };
  return (
    <AlertDialog.Root open={open} onOpenChange={onOpenChange}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={BACKDROP} />
        <AlertDialog.Popup ref={popup} finalFocus={finalFocus} className={classNames(POPUP, "max-w-md")}>
          <div className="px-5 pt-4 pb-5">
            <AlertDialog.Title className="text-lg font-semibold text-ink">{title}</AlertDialog.Title>
            <AlertDialog.Description className="mt-1 text-sm text-ink-soft">
              {description}
            </AlertDialog.Description>
          </div>
          <footer className="flex justify-end gap-2 border-t border-line px-5 py-3">
            <AlertDialog.Close render={<Button>{words.common.cancel}</Button>} />
            <Button tone={tone} busy={busy} onClick={() => void act()}>
              {confirm}
            </Button>
          </footer>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
