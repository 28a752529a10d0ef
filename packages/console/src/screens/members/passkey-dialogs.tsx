import type { Passkey } from "@signalbox/contract";
import { isFailure } from "@signalbox/sdk";
import { useQueryClient } from "@tanstack/react-query";
import { useForm } from "react-hook-form";
import { Field, FormDialog, Input, problemOf, showToast } from "../../design/index.ts";
import { useAction } from "../../service/index.ts";
import { addPasskey, PasskeyNotUsed } from "../../service/passkeys.ts";
import { useWords } from "../../words/index.ts";
import { browserName } from "./browser-name.ts";
import { usePasskeyWords } from "./passkey-words.ts";
import { useMemberWords } from "./words.ts";

/** A name and the password, then whatever the device asks for. */
export function AddPasskey({ onClose }: { onClose: () => void }) {
  const words = useWords();
  const text = usePasskeyWords();
  const members = useMemberWords();
  const queries = useQueryClient();
  const here = browserName(navigator.userAgent);
  const name = here === undefined ? "" : members.on(here.browser, here.system);
  const { register, handleSubmit, setError, formState } = useForm({ defaultValues: { name, password: "" } });
  const submit = handleSubmit(async (input) => {
    try {
      await addPasskey(input.name.trim() || name, input.password);
      await queries.invalidateQueries({ queryKey: ["listPasskeys"] });
      showToast({ title: text.added });
      onClose();
    } catch (error) {
      setError("password", { message: refusalOf(error) });
    }
  });
  const refusalOf = (error: unknown) => {
    if (error instanceof PasskeyNotUsed) return error.isKnown ? text.isKnown : text.notMade;
    if (isFailure(error, "wrongPassword") || isFailure(error, "badParameter")) return text.wrongPassword;
    if (isFailure(error, "tooManyRequests")) return text.tooMany;
    return problemOf(error, words).title;
  };
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      width="sm"
      title={text.add}
      description={text.addLead}
      submit={text.add}
      busy={formState.isSubmitting}
      onSubmit={submit}
    >
      <Field label={text.name} help={text.nameHelp}>
        <Input maxLength={100} {...register("name")} />
      </Field>
      <Field label={text.password} problem={formState.errors.password?.message}>
        <Input type="password" autoComplete="current-password" autoFocus {...register("password")} />
      </Field>
    </FormDialog>
  );
}

export function RenamePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const words = useWords();
  const text = usePasskeyWords();
  const { passkey_id, name } = passkey;
  const { register, handleSubmit, setError, formState } = useForm({ defaultValues: { name } });
  const rename = useAction("renamePasskey", { changes: ["listPasskeys"] });
  const submit = handleSubmit(async (input) => {
    try {
      await rename.mutateAsync({ passkey_id, name: input.name });
      showToast({ title: text.renamed });
      onClose();
    } catch (error) {
      setError("name", { message: problemOf(error, words).title });
    }
  });
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      width="sm"
      title={text.rename}
      submit={text.save}
      busy={formState.isSubmitting}
      onSubmit={submit}
    >
      <Field label={text.name} help={text.nameHelp} problem={formState.errors.name?.message}>
        <Input maxLength={100} autoFocus {...register("name")} />
      </Field>
    </FormDialog>
  );
}
