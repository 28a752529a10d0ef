import type { KeyObject } from "node:crypto";
import { LruMap, type Sealer } from "../platform/index.ts";
import { signingKey } from "./signing.ts";

/** Where a delivery goes and what proves that it is from us, opened in memory and never stored so. */
export interface Destination {
  id: string;
  url: string;
  username: string | undefined;
  secret: string | undefined;
  /** Shared secrets, newest first, then private keys; two of either while a rotation overlaps. */
  signingKeys: KeyObject[];
  /** The source of its calls as CloudEvents; undefined where they are none. */
  eventSource: string | undefined;
  strictAcknowledgement: boolean;
  /** The service itself receives its calls, by a way out of their own. */
  isInbox: boolean;
}

/** The columns of `webhook` that a destination is opened from, and that say how it is called. */
export interface DestinationRow {
  id: string;
  agent_id: string;
  url: string;
  username_sealed: Buffer | null;
  secret_sealed: Buffer | null;
  signing_secret_sealed: Buffer;
  previous_signing_secret_sealed: Buffer | null;
  previous_signing_secret_until: Date | null;
  asymmetric_key_sealed: Buffer | null;
  previous_asymmetric_key_sealed: Buffer | null;
  cloud_events: boolean;
  strict_acknowledgement: boolean;
  establish_timeout_ms: number;
  establish_tries: number;
  /** Null unless it is an inbox. */
  inbox_assignment: string | null;
}

export const SEALED_COLUMNS = [
  "username_sealed",
  "secret_sealed",
  "signing_secret_sealed",
  "previous_signing_secret_sealed",
  "asymmetric_key_sealed",
  "previous_asymmetric_key_sealed",
] as const;
export type SealedColumn = (typeof SEALED_COLUMNS)[number];

/** A sealed value opens only for the agent, webhook and column it was sealed for. */
export function sealingContext(agentId: string, webhookId: string, column: SealedColumn): string {
  // A rotated secret moves from one column to the other as it is.
  return `webhook|${agentId}|${webhookId}|${column.replace(/^previous_/, "")}`;
}

/** In a rotation that overlaps, the previous secret stays valid until its time is over. */
function overlaps({ previous_signing_secret_until: until }: DestinationRow, now: Date): boolean {
  return until !== null && until > now;
}

export function openDestination(row: DestinationRow, sealer: Sealer, now: Date): Destination {
  const open = (column: SealedColumn): string | undefined => {
    const sealed = row[column];
    return sealed === null ? undefined : sealer.open(sealed, sealingContext(row.agent_id, row.id, column));
  };
  const isRotating = overlaps(row, now);
  const secrets = [
    open("signing_secret_sealed"),
    isRotating ? open("previous_signing_secret_sealed") : undefined,
    open("asymmetric_key_sealed"),
    isRotating ? open("previous_asymmetric_key_sealed") : undefined,
  ];
  return {
    id: row.id,
    url: row.url,
    username: open("username_sealed"),
    secret: open("secret_sealed"),
    signingKeys: secrets.filter((secret) => secret !== undefined).map(signingKey),
    eventSource: row.cloud_events ? `urn:signalbox:agent:${row.agent_id}` : undefined,
    strictAcknowledgement: row.strict_acknowledgement,
    isInbox: row.inbox_assignment !== null,
  };
}

export type OpenDestination = (row: DestinationRow, now: Date) => Destination;

/** About a kilobyte each. With fewer than there are busy agents none would be found again. */
const OPENED_MOST = 10_000;

/** Opens a destination once for as long as its row, which every claim reads, says the same. */
export function createDestinationOpener(sealer: Sealer): OpenDestination {
  const opened = new LruMap<string, { row: DestinationRow; overlapped: boolean; destination: Destination }>(
    OPENED_MOST,
  );
  return (row, now) => {
    const known = opened.get(row.id);
    const overlapped = overlaps(row, now);
    if (known !== undefined && known.overlapped === overlapped && saysTheSame(known.row, row))
      return known.destination;
    const destination = openDestination(row, sealer, now);
    opened.set(row.id, { row, overlapped, destination });
    return destination;
  };
}

function saysTheSame(one: DestinationRow, other: DestinationRow): boolean {
  return (
    one.agent_id === other.agent_id &&
    one.url === other.url &&
    one.strict_acknowledgement === other.strict_acknowledgement &&
    one.cloud_events === other.cloud_events &&
    SEALED_COLUMNS.every((column) => {
      const [before, now] = [one[column], other[column]];
      return before === null || now === null ? before === now : before.equals(now);
    })
  );
}

/** Section 5, rule 3: only a username is a Bearer token; username and secret are HTTP Basic; neither sends nothing. */
export function authorizationOf({
  username,
  secret,
}: Pick<Destination, "username" | "secret">): string | undefined {
  if (username === undefined) return undefined;
  if (secret === undefined) return `Bearer ${username}`;
  return `Basic ${Buffer.from(`${username}:${secret}`, "utf8").toString("base64")}`;
}
