import type { BusinessHours, HumanService } from "@signalbox/contract";
import { useState } from "react";
import { Field, FormDialog, Input, problemOf, showToast, Switch } from "../../design/index.ts";
import { bodyProblems, isAnotherServer, useAction } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { BusinessHoursFields } from "./business-hours.tsx";
import { areMissing, CredentialFields, credentialsOf, NO_CREDENTIALS } from "./credentials.tsx";
import { NewSecretDialog } from "./new-secret-dialog.tsx";

export interface DeskFormProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  agentId: string;
  desk: HumanService | undefined;
}

const CHANGES = ["listHumanServices", "listDestinations"] as const;

export function DeskForm({ open, onOpenChange, agentId, desk }: DeskFormProps) {
  const words = useScreenWords();
  const text = words.endpoints;
  const [name, setName] = useState(desk?.name ?? "");
  const [url, setUrl] = useState(desk?.url ?? "");
  const [credentials, setCredentials] = useState(NO_CREDENTIALS);
  const [unauthenticated, setUnauthenticated] = useState(desk?.allow_unauthenticated_replies ?? false);
  const [hours, setHours] = useState<BusinessHours | null>(desk?.business_hours ?? null);
  const [problems, setProblems] = useState<Record<string, string>>({});
  const [secret, setSecret] = useState<string>();
  const create = useAction("createHumanService", { changes: CHANGES });
  const update = useAction("updateHumanService", { changes: CHANGES });
  const submit = async () => {
    const fields = {
      name: name.trim(),
      url: url.trim(),
      allow_unauthenticated_replies: unauthenticated,
      business_hours: hours,
    };
    const entered = credentialsOf(credentials, isAnotherServer(desk, url));
    const body = desk === undefined ? fields : changesOf(desk, fields);
    const found = bodyProblems(desk === undefined ? "createHumanService" : "updateHumanService", {
      ...body,
      ...entered,
    });
    if (areMissing(desk, url, credentials)) found["username"] = text.enterAgain;
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    try {
      const saved =
        desk === undefined
          ? await create.mutateAsync({ agent_id: agentId, ...fields, ...entered })
          : await update.mutateAsync({
              agent_id: agentId,
              component_id: desk.component_id,
              ...body,
              ...entered,
            });
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
      title={desk?.name ?? text.addDesk}
      description={text.desksLead}
      submit={words.common.save}
      busy={create.isPending || update.isPending}
      onSubmit={submit}
    >
      <Field label={text.name} problem={problems["name"]}>
        <Input autoFocus value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label={text.url} help={text.urlHelp} problem={problems["url"]}>
        <Input
          type="url"
          spellCheck={false}
          placeholder="https://example.com/desk"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
      </Field>
      <CredentialFields
        values={credentials}
        stored={desk}
        url={url}
        problems={problems}
        onChange={setCredentials}
      />
      <BusinessHoursFields hours={hours} problem={problems["business_hours"]} onChange={setHours} />
      <Switch
        label={text.unauthenticated}
        help={text.unauthenticatedHelp}
        checked={unauthenticated}
        onChange={setUnauthenticated}
      />
    </FormDialog>
  );
}

/** A save of what stands in the form must not undo what somebody else changed meanwhile. */
function changesOf<Fields extends Partial<HumanService>>(stored: HumanService, fields: Fields) {
  const changes = Object.entries(fields).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(stored[name as keyof HumanService]),
  );
  return Object.fromEntries(changes) as Partial<Fields>;
}
