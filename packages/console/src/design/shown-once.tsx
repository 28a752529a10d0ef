import type { ReactNode } from "react";
import { useWords } from "../words/index.ts";
import { Button } from "./button.tsx";
import { CopyLine } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";

export interface ShownOnceProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description: string;
  /** What nobody can read again: a secret, a key, a link. */
  text: string;
  children?: ReactNode;
}

export function ShownOnce({ open, onOpenChange, title, description, text, children }: ShownOnceProps) {
  const words = useWords();
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      width="sm"
      title={title}
      description={description}
      footer={
        <Button tone="primary" onClick={() => onOpenChange(false)}>
          {words.common.close}
        </Button>
      }
    >
      <CopyLine text={text} />
      {children}
    </Dialog>
  );
}
