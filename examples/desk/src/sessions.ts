import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Store } from "./store.ts";

export interface Sessions {
  needsPassword: boolean;
  /** The human at this browser; undefined: nobody has said. */
  nameOf(request: IncomingMessage): string | undefined;
  /** The cookie that says so from now on, or undefined where the password is wrong. */
  begin(request: IncomingMessage, name: string, password: string): string | undefined;
  end(): string;
}

const COOKIE = "signalbox_desk";
const KEPT_MS = 14 * 86_400_000;
const KEY = "session-key";

/** People say their name, and show that they are of the team by its password. */
export function openSessions(store: Store, password: string | undefined, path: string): Sessions {
  const stored = store.setting(KEY) ?? randomBytes(32).toString("base64url");
  store.keepSetting(KEY, stored);
  // With another password every session is over.
  const key = digest(stored, password ?? "");
  const sign = (text: string) => digest(key, text).toString("base64url");
  const attributes = `Path=${path}; HttpOnly; SameSite=Strict`;

  return {
    needsPassword: password !== undefined,
    nameOf(request) {
      const value = request.headers.cookie?.match(/(?:^|;\s*)signalbox_desk=([\w-]+)\.([\w-]+)/);
      const [, told = "", signature = ""] = value ?? [];
      if (told === "" || !isSame(key, signature, sign(told))) return undefined;
      const { name, until } = JSON.parse(Buffer.from(told, "base64url").toString()) as {
        name: string;
        until: number;
      };
      return until > Date.now() ? name : undefined;
    },
    begin(request, name, given) {
      if (password !== undefined && !isSame(key, given, password)) return undefined;
      const told = Buffer.from(JSON.stringify({ name, until: Date.now() + KEPT_MS })).toString("base64url");
      const secure = request.headers["x-forwarded-proto"] === "https" ? "; Secure" : "";
      return `${COOKIE}=${told}.${sign(told)}; Max-Age=${KEPT_MS / 1_000}; ${attributes}${secure}`;
    },
    end: () => `${COOKIE}=; Max-Age=0; ${attributes}`,
  };
}

function digest(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

/** In constant time, whatever the lengths. */
function isSame(key: Buffer, given: string, expected: string): boolean {
  return timingSafeEqual(digest(key, given), digest(key, expected));
}
