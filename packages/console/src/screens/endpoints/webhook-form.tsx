import type { MessageWebhook } from "@signalbox/contract";
import { useState } from "react";
import { Field, FormDialog, Input, problemOf, showToast, Switch } from "../../design/index.ts";
import { bodyProblems, isAnotherServer, useAction } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { areMissing, CredentialFields, credentialsOf, NO_CREDENTIALS } from "./credentials.tsx";
import { NewSecretDialog } from "./new-secret-dialog.tsx";

export interface WebhookFormProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  agentId: string;
  webhook: MessageWebhook | undefined;
}

/** Sets or changes the message webhook; a new one shows its signing secret, this once. */
export function WebhookForm({ open, onOpenChange, agentId, webhook }: WebhookFormProps) {
  const words = useScreenWords();
  const text = words.endpoints;
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [credentials, setCredentials] = useState(NO_CREDENTIALS);
  const [strict, setStrict] = useState(webhook?.strict_acknowledgement ?? false);
  const [mirror, setMirror] = useState(webhook?.mirror_live_channel ?? false);
  const [asymmetric, setAsymmetric] = useState((webhook?.public_key ?? null) !== null);
  const [cloudEvents, setCloudEvents] = useState(webhook?.cloud_events ?? false);
  const [problems, setProblems] = useState<Record<string, string>>({});
  const [secret, setSecret] = useState<string>();
  const save = useAction("setMessageWebhook", { changes: ["getMessageWebhook", "listDestinations"] });
  const submit = async () => {
    const body = {
      url: url.trim(),
      ...credentialsOf(credentials, isAnotherServer(webhook, url)),
      strict_acknowledgement: strict,
      mirror_live_channel: mirror,
      asymmetric_signature: asymmetric,
      cloud_events: cloudEvents,
    };
    const found = bodyProblems("setMessageWebhook", body);
    if (areMissing(webhook, url, credentials)) found["username"] = text.enterAgain;
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    try {
      const saved = await save.mutateAsync({ agent_id: agentId, ...body });
      if (saved.signing_secret === undefined) {
        showToast({ title: words.common.saved });
        onOpenChange(false);
      } else setSecret(saved.signing_secret);
    } catch (error) {
      setProblems({ url: problemOf(error, words).detail });
    }
  };
  if (secret !== undefined)
    return (
      <NewSecretDialog open={open} onOpenChange={onOpenChange} secret={secret}>
        <p className="mt-3 text-xs text-ink-soft">{text.signingHelp}</p>
      </NewSecretDialog>
    );
  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      title={text.message}
      description={text.messageLead}
      submit={words.common.save}
      busy={save.isPending}
      onSubmit={submit}
    >
      <Field label={text.url} help={text.urlHelp} problem={problems["url"]}>
        <Input
          autoFocus
          type="url"
          spellCheck={false}
          placeholder="https://example.com/hooks"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
      </Field>
      <CredentialFields
        values={credentials}
        stored={webhook}
        url={url}
        problems={problems}
        onChange={setCredentials}
      />
      <Switch label={text.strict} help={text.strictHelp} checked={strict} onChange={setStrict} />
      <Switch label={text.mirror} help={text.mirrorHelp} checked={mirror} onChange={setMirror} />
      <Switch
        label={text.asymmetric}
        help={text.asymmetricHelp}
        checked={asymmetric}
        onChange={setAsymmetric}
      />
      <Switch
        label={text.cloudEvents}
        help={text.cloudEventsHelp}
        checked={cloudEvents}
        onChange={setCloudEvents}
      />
    </FormDialog>
  );
}
