import { getPreferences } from "../preferences/index.ts";
import { IDENTIFIER } from "./agents.ts";
import { beginSession, type SessionEnd } from "./session.ts";

const KEY = "signalbox.dev";
const START = "/console/";
const BROKEN_LINKS: Record<string, SessionEnd> = { used: "linkUsed", old: "linkOld" };
/** A console that others reach is never in dev mode, whatever a link says. */
const isLoopback = ["127.0.0.1", "localhost"].includes(location.hostname);

interface DevStack {
  port: string;
  /** The agents that the chat page talks to, by its language. */
  agents: Record<string, string>;
}

/**
 * `signalbox dev` leads here with a session's cookie, and behind # with the port of its pages and its agents. A link that
 * somebody else made carries no cookie, and can name nothing but a port of this machine and ids.
 */
export function enterDevMode(): void {
  if (!isLoopback) return;
  const given = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const { dev: port = "", link, ...others } = given;
  if (/^\d{1,5}$/.test(port)) {
    const agents = Object.fromEntries(Object.entries(others).filter(([, id]) => IDENTIFIER.test(id)));
    localStorage.setItem(KEY, JSON.stringify({ port, agents }));
    history.replaceState(null, "", location.pathname);
    beginSession({ isAccount: true }, BROKEN_LINKS[link ?? ""]);
  }
  // The demo opens on the shop that speaks the language of the interface.
  const agent = stack()?.agents[getPreferences().language];
  if (agent !== undefined && location.pathname === START && location.search === "")
    history.replaceState(null, "", `${START}?agent=${agent}`);
}

function stack(): DevStack | undefined {
  const stored = isLoopback ? localStorage.getItem(KEY) : null;
  return stored === null ? undefined : (JSON.parse(stored) as DevStack);
}

/** The chat page of `signalbox dev` that talks to this agent, and the agent's inbox; undefined for any other agent. */
export function devPages(agentId: string): { chat: string; inbox: string } | undefined {
  const { port, agents = {} } = stack() ?? {};
  const language = Object.keys(agents).find((one) => agents[one] === agentId);
  if (language === undefined) return undefined;
  const pages = `http://127.0.0.1:${port}`;
  return { chat: `${pages}/?lang=${language}`, inbox: `${pages}/inbox/${language}` };
}
