/** What `signalbox dev` runs, as it is shown. */
export interface RunningStack {
  /** The link to the console signs in, once. */
  pages: { console: string; chat: string; inbox: string; desk?: string };
  url: string;
  operator_token: string;
  directory: string;
  agents: { name: string; language: string; agent_id: string; api_key: string; signing_secret: string }[];
}
