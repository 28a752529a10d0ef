/** Which part of the inbox is listed. */
export const INBOX_VIEWS = ["waiting", "mine", "team", "closed"] as const;
export type InboxView = (typeof INBOX_VIEWS)[number];

/** As it stands in the address: a link shows a colleague the same conversation. */
export interface InboxSearch {
  view?: InboxView | undefined;
  /** The id of the handoff that is open. */
  talk?: string | undefined;
  text?: string | undefined;
  /** The settings are open. */
  settings?: true | undefined;
  /** The id of the team whose talks alone are listed. */
  team?: string | undefined;
}

const ID_MAX = 64;
const TEXT_MAX = 200;

export function readInboxSearch({ view, talk, text, team, settings }: Record<string, unknown>): InboxSearch {
  const words =
    typeof text === "string" || typeof text === "number" ? String(text).trim().slice(0, TEXT_MAX) : "";
  return {
    view: INBOX_VIEWS.find((one) => one === view),
    talk: idOf(talk),
    team: idOf(team),
    settings: settings === true ? true : undefined,
    text: words === "" ? undefined : words,
  };
}

function idOf(value: unknown): string | undefined {
  return typeof value === "string" && value.length > 0 && value.length <= ID_MAX ? value : undefined;
}
