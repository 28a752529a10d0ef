import { createServer } from "node:http";
import { createClient } from "@signalbox/sdk";
import { openDesk } from "./desk.ts";

const PASSWORD_MIN_CHARACTERS = 12;

const {
  HOST = "127.0.0.1",
  PORT = "3100",
  DESK_FILE = "desk.sqlite",
  DESK_PASSWORD,
  DESK_KEEP_DAYS = "90",
  SIGNALBOX_URL = "http://127.0.0.1:8080",
  SIGNALBOX_API_KEY = "",
  SIGNALBOX_WEBHOOK_USERNAME,
  SIGNALBOX_WEBHOOK_SECRET,
  SIGNALBOX_SIGNING_SECRET,
} = process.env;

function refuse(why: string): never {
  console.error(why);
  process.exit(1);
}

if (SIGNALBOX_API_KEY === "")
  refuse("Missing SIGNALBOX_API_KEY. Set it to an API key of the agent whose users you answer here.");
if (DESK_PASSWORD === undefined && HOST !== "127.0.0.1")
  refuse("Missing DESK_PASSWORD. Other machines can reach this desk, so set a team password.");
if (DESK_PASSWORD !== undefined && DESK_PASSWORD.length < PASSWORD_MIN_CHARACTERS)
  refuse(`DESK_PASSWORD is too short. Use at least ${PASSWORD_MIN_CHARACTERS} characters.`);

const client = createClient({ baseUrl: SIGNALBOX_URL, apiKey: SIGNALBOX_API_KEY });
const desk = openDesk({
  file: DESK_FILE,
  credentials: {
    username: SIGNALBOX_WEBHOOK_USERNAME,
    secret: SIGNALBOX_WEBHOOK_SECRET,
    signingSecrets: SIGNALBOX_SIGNING_SECRET,
  },
  clientFor: () => client,
  password: DESK_PASSWORD,
  keepDays: Number(DESK_KEEP_DAYS),
});

const server = createServer((request, response) => desk.handle(request, response)).listen(
  Number(PORT),
  HOST,
  () =>
    console.log(
      `Desk listening at http://${HOST}:${PORT}. Set the human service URL to this address followed by /hooks.`,
    ),
);
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    server.close();
    void desk.close().then(() => server.closeAllConnections());
  });
