import { useId } from "react";
import { useWords } from "../words/index.ts";
import { Button } from "./button.tsx";
import { Dialog, type DialogProps } from "./dialog.tsx";

export interface FormDialogProps extends Omit<DialogProps, "footer"> {
  /** What the button says that sends the form. */
  submit: string;
  tone?: "danger" | "primary";
  busy: boolean;
  onSubmit: () => Promise<unknown>;
}

/** Fields in a dialog: sent by its button or by Enter, left by Cancel. */
export function FormDialog({
  submit,
  tone = "primary",
  busy,
  onSubmit,
  children,
  ...dialog
}: FormDialogProps) {
  const words = useWords();
  const id = useId();
  return (
    <Dialog
      {...dialog}
      footer={
        <>
          <Button onClick={() => dialog.onOpenChange(false)}>{words.common.cancel}</Button>
          <Button tone={tone} type="submit" form={id} busy={busy}>
            {submit}
          </Button>
        </>
      }
    >
      <form
        id={id}
        noValidate
        className="flex flex-col gap-5"
        onSubmit={(event) => {
          event.preventDefault();
          void onSubmit();
        }}
      >
        {children}
      </form>
    </Dialog>
  );
}
