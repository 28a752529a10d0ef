import { beginSession } from "./session.ts";

const KEY = "signalbox.dev-pages";
/** A console that others reach is never in dev mode, whatever a link says. */
const isLoopback = ["127.0.0.1", "localhost"].includes(location.hostname);

/**
 * `signalbox dev` leads here with a session's cookie, and with the port of its pages behind #. A link that somebody else made
 * carries no cookie, and can name nothing but a port of this machine.
 */
export function enterDevMode(): void {
  const port = Number(/^#dev=(\d{1,5})$/.exec(location.hash)?.[1]);
  if (!isLoopback || Number.isNaN(port)) return;
  localStorage.setItem(KEY, String(port));
  history.replaceState(null, "", location.pathname);
  beginSession({ isAccount: true });
}

/** The chat page of `signalbox dev`, and the inbox of the agent that it talks to; undefined anywhere else. */
export function devPages(language: string): { chat: string; inbox: string } | undefined {
  const port = isLoopback ? localStorage.getItem(KEY) : null;
  if (port === null) return undefined;
  const pages = `http://127.0.0.1:${port}`;
  return { chat: `${pages}/`, inbox: `${pages}/inbox/${language}` };
}
