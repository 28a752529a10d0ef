import { API_KEY_SCOPES, type ApiKeyScope } from "@signalbox/contract";
import { useState } from "react";
import { Checkbox, Field, FormDialog, Input, problemOf, Select, ShownOnce } from "../../design/index.ts";
import { bodyProblems, useAction } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";

const EXPIRIES = ["never", "30", "90", "365"] as const;
type Expiry = (typeof EXPIRIES)[number];
const DAY_MS = 86_400_000;

export interface NewKeyProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  agentId: string;
}

/** Asks for the least a program needs, then shows the key this once. */
export function NewKey({ open, onOpenChange, agentId }: NewKeyProps) {
  const words = useScreenWords();
  const text = words.agent.keys;
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly ApiKeyScope[]>(API_KEY_SCOPES);
  const [expiry, setExpiry] = useState<Expiry>("never");
  const [problems, setProblems] = useState<Record<string, string>>({});
  const create = useAction("createApiKey", { changes: ["listApiKeys"] });
  const submit = async () => {
    const body = {
      name: name.trim(),
      scopes: [...scopes],
      ...(expiry !== "never" && { expire_time: Date.now() + Number(expiry) * DAY_MS }),
    };
    const found = bodyProblems("createApiKey", body);
    if (scopes.length === 0) found["scopes"] = text.chooseScope;
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    try {
      await create.mutateAsync({ agent_id: agentId, ...body });
    } catch (error) {
      setProblems({ name: problemOf(error, words).detail });
    }
  };
  const toggle = (scope: ApiKeyScope, isOn: boolean) =>
    setScopes(API_KEY_SCOPES.filter((one) => (one === scope ? isOn : scopes.includes(one))));
  if (create.data !== undefined)
    return (
      <ShownOnce
        open={open}
        onOpenChange={onOpenChange}
        title={text.created}
        description={text.createdLead}
        text={create.data.api_key}
      />
    );
  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      width="sm"
      title={text.create}
      submit={text.create}
      busy={create.isPending}
      onSubmit={submit}
    >
      <Field label={text.columns.name} help={text.nameHelp} problem={problems["name"]}>
        <Input autoFocus value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 text-sm font-medium text-ink">{text.scopesLabel}</legend>
        {API_KEY_SCOPES.map((scope) => (
          <div key={scope}>
            <Checkbox
              label={text.scopes[scope].name}
              checked={scopes.includes(scope)}
              onChange={(isOn) => toggle(scope, isOn)}
            />
            <p className="pl-6 text-xs text-ink-faint">{text.scopes[scope].help}</p>
          </div>
        ))}
        {problems["scopes"] !== undefined && <p className="text-xs text-bad">{problems["scopes"]}</p>}
      </fieldset>
      <Field label={text.expiry}>
        <Select
          label={text.expiry}
          value={expiry}
          options={EXPIRIES.map((value) => ({ value, label: text.expiries[value] }))}
          onChange={setExpiry}
        />
      </Field>
    </FormDialog>
  );
}
