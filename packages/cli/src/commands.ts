import type { Command } from "./command.ts";
import { accountsCommand } from "./commands/accounts.ts";
import { agentsCommand } from "./commands/agents.ts";
import { alternatesCommand } from "./commands/alternates.ts";
import { askCommand } from "./commands/ask.ts";
import { chatTokensCommand } from "./commands/chat-tokens.ts";
import { checkCommand } from "./commands/check.ts";
import { completionCommand } from "./commands/completion.ts";
import { conformCommand } from "./commands/conform.ts";
import { conversationsCommand } from "./commands/conversations.ts";
import { deliveriesCommand } from "./commands/deliveries.ts";
import { deskCommand } from "./commands/desk.ts";
import { devCommand } from "./commands/dev.ts";
import { documentsCommand } from "./commands/documents.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { humanAnswersCommand } from "./commands/human-answers.ts";
import { inboxCommand } from "./commands/inbox.ts";
import { keysCommand } from "./commands/keys.ts";
import { listenCommand } from "./commands/listen.ts";
import { loginCommand } from "./commands/login.ts";
import { migrateCommand } from "./commands/migrate.ts";
import { modelCommand } from "./commands/model.ts";
import { numbersCommand } from "./commands/numbers.ts";
import { pairsCommand } from "./commands/pairs.ts";
import { replayCommand } from "./commands/replay.ts";
import { savedQuestionsCommand } from "./commands/saved-questions.ts";
import { secretsCommand } from "./commands/secrets.ts";
import { serveCommand } from "./commands/serve.ts";
import { tokensCommand } from "./commands/tokens.ts";
import { triggerCommand } from "./commands/trigger.ts";
import { unansweredCommand } from "./commands/unanswered.ts";
import { usersCommand } from "./commands/users.ts";
import { webhookCommand } from "./commands/webhook.ts";

/** In the order in which a newcomer needs them. */
export const COMMANDS: readonly Command[] = [
  devCommand,
  doctorCommand,
  loginCommand,
  agentsCommand,
  askCommand,
  modelCommand,
  documentsCommand,
  pairsCommand,
  savedQuestionsCommand,
  unansweredCommand,
  humanAnswersCommand,
  alternatesCommand,
  webhookCommand,
  deskCommand,
  inboxCommand,
  listenCommand,
  conformCommand,
  triggerCommand,
  checkCommand,
  conversationsCommand,
  numbersCommand,
  deliveriesCommand,
  replayCommand,
  keysCommand,
  tokensCommand,
  accountsCommand,
  chatTokensCommand,
  usersCommand,
  secretsCommand,
  migrateCommand,
  serveCommand,
  completionCommand(() => COMMANDS),
];
