import type { ReactNode } from "react";
import { ShownOnce } from "../../design/index.ts";
import { useScreenWords } from "../../words/index.ts";

export interface NewSecretDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  secret: string;
  children: ReactNode;
}

/** A signing secret is shown once, when it is made. */
export function NewSecretDialog({ open, onOpenChange, secret, children }: NewSecretDialogProps) {
  const text = useScreenWords().endpoints;
  return (
    <ShownOnce
      open={open}
      onOpenChange={onOpenChange}
      title={text.newSecret}
      description={text.newSecretLead}
      text={secret}
    >
      {children}
    </ShownOnce>
  );
}
