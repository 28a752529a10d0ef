import { Checkbox, Field, Input } from "../../design/index.ts";
import { isAnotherServer } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";

export interface CredentialValues {
  username: string;
  secret: string;
  clear: boolean;
}

export const NO_CREDENTIALS: CredentialValues = { username: "", secret: "", clear: false };

export type StoredCredentials = { url: string; username_set: boolean; secret_set: boolean } | undefined;

function areStored(stored: StoredCredentials): boolean {
  return stored !== undefined && (stored.username_set || stored.secret_set);
}

/** An empty field keeps what is stored. Another server gets only what is entered for it. */
export function credentialsOf({ username, secret, clear }: CredentialValues, isMoved: boolean) {
  if (clear) return { username: null, secret: null };
  if (isMoved && username !== "") return { username, secret: secret === "" ? null : secret };
  return { ...(username !== "" && { username }), ...(secret !== "" && { secret }) };
}

/** Whether stored credentials must be entered again, because the URL names another server. */
export function areMissing(stored: StoredCredentials, url: string, values: CredentialValues): boolean {
  return areStored(stored) && isAnotherServer(stored, url) && values.username === "" && !values.clear;
}

export interface CredentialFieldsProps {
  values: CredentialValues;
  stored: StoredCredentials;
  url: string;
  problems: Record<string, string>;
  onChange: (values: CredentialValues) => void;
}

export function CredentialFields({ values, stored, url, problems, onChange }: CredentialFieldsProps) {
  const words = useScreenWords();
  const text = words.endpoints;
  const isMoved = isAnotherServer(stored, url);
  const placeholder = (isSet: boolean | undefined) => (isSet === true && !isMoved ? "••••••••" : "");
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
      {areStored(stored) && (
        <>
          <p role="status" className="text-xs text-ink-faint">
            {isMoved ? text.anotherServer : text.keepStored}
          </p>
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
