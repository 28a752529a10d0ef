import { useState } from "react";
import { Button, Dialog, Field, Select, showProblem, Time } from "../../design/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { NewSecretDialog } from "./new-secret-dialog.tsx";

const OVERLAPS = ["0", "3600", "86400", "604800"] as const;
type Overlap = (typeof OVERLAPS)[number];

interface Rotated {
  signing_secret: string;
  previous_expire_time: number | null;
}

export interface RotateDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onRotate: (overlapSeconds: number) => Promise<Rotated>;
}

/** Asks for the overlap, then shows the new secret this once. */
export function RotateDialog({ open, onOpenChange, onRotate }: RotateDialogProps) {
  const words = useScreenWords();
  const text = words.endpoints;
  const [overlap, setOverlap] = useState<Overlap>("86400");
  const [rotated, setRotated] = useState<Rotated>();
  const [busy, setBusy] = useState(false);
  const close = (isOpen: boolean) => {
    if (!isOpen) setRotated(undefined);
    onOpenChange(isOpen);
  };
  const rotate = async () => {
    setBusy(true);
    try {
      setRotated(await onRotate(Number(overlap)));
    } catch (error) {
      showProblem(error, words);
    } finally {
      setBusy(false);
    }
  };
  if (rotated !== undefined)
    return (
      <NewSecretDialog open={open} onOpenChange={close} secret={rotated.signing_secret}>
        {rotated.previous_expire_time !== null && (
          <p className="mt-3 text-sm text-ink-soft">
            {text.previousUntil} <Time at={rotated.previous_expire_time} as="short" />
          </p>
        )}
      </NewSecretDialog>
    );
  return (
    <Dialog
      open={open}
      onOpenChange={close}
      width="sm"
      title={text.rotateTitle}
      description={text.rotateLead}
      footer={
        <>
          <Button onClick={() => close(false)}>{words.common.cancel}</Button>
          <Button tone="primary" busy={busy} onClick={() => void rotate()}>
            {text.rotate}
          </Button>
        </>
      }
    >
      <Field label={text.overlap}>
        <Select
          label={text.overlap}
          value={overlap}
          options={OVERLAPS.map((value) => ({ value, label: text.overlaps[value] }))}
          onChange={setOverlap}
        />
      </Field>
    </Dialog>
  );
}
