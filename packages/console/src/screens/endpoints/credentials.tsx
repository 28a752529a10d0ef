import { Checkbox, Field, Input } from "../../design/index.ts";
import { useScreenWords } from "../../words/index.ts";

export interface CredentialValues {
  username: string;
  secret: string;
  clear: boolean;
}

export const NO_CREDENTIALS: CredentialValues = { username: "", secret: "", clear: false };

/** What an empty field means: stored credentials stay, unless they are to go. */
export function credentialsOf({ username, secret, clear }: CredentialValues) {
  if (clear) return { username: null, secret: null };
  return { ...(username !== "" && { username }), ...(secret !== "" && { secret }) };
}

export interface CredentialFieldsProps {
  values: CredentialValues;
  stored: { username_set: boolean; secret_set: boolean } | undefined;
  problems: Record<string, string>;
  onChange: (values: CredentialValues) => void;
}

export function CredentialFields({ values, stored, problems, onChange }: CredentialFieldsProps) {
  const words = useScreenWords();
  const text = words.endpoints;
  const isStored = stored !== undefined && (stored.username_set || stored.secret_set);
  const placeholder = (isSet: boolean | undefined) => (isSet === true ? "••••••••" : "");
  return (
    <fieldset className="flex flex-col gap-4">
      <legend className="sr-only">{text.credentials}</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label={text.username}
          note={words.common.optional}
          help={text.usernameHelp}
          problem={problems["username"]}
        >
          <Input
            autoComplete="off"
            disabled={values.clear}
            placeholder={placeholder(stored?.username_set)}
            value={values.username}
            onChange={(event) => onChange({ ...values, username: event.target.value })}
          />
        </Field>
        <Field
          label={text.secret}
          note={words.common.optional}
          help={text.secretHelp}
          problem={problems["secret"]}
        >
          <Input
            type="password"
            autoComplete="new-password"
            disabled={values.clear}
            placeholder={placeholder(stored?.secret_set)}
            value={values.secret}
            onChange={(event) => onChange({ ...values, secret: event.target.value })}
          />
        </Field>
      </div>
      {isStored && (
        <>
          <p className="text-xs text-ink-faint">{text.keepStored}</p>
          <Checkbox
            label={text.removeCredentials}
            checked={values.clear}
            onChange={(clear) => onChange({ ...values, clear })}
          />
        </>
      )}
    </fieldset>
  );
}
