import { expressReceiver } from "@signalbox/sdk/express";
import { createReceiver } from "@signalbox/sdk/receiver";
import express from "express";

const {
  PORT = "3000",
  SIGNALBOX_WEBHOOK_USERNAME,
  SIGNALBOX_WEBHOOK_SECRET,
  SIGNALBOX_SIGNING_SECRET,
} = process.env;

const receiver = createReceiver({
  username: SIGNALBOX_WEBHOOK_USERNAME,
  secret: SIGNALBOX_WEBHOOK_SECRET,
  signingSecrets: SIGNALBOX_SIGNING_SECRET,
  onMessage({ conversation_id, output }, { sender }) {
    const text = output.map(({ content }) => content.text).join("\n");
    console.log(`${sender} says in ${conversation_id}: ${text}`);
  },
  onHandoffRequested({ conversation_id, body }) {
    console.log(`a person is wanted in ${conversation_id}: ${body.at(-1)?.text}`);
  },
  onUserMessage({ conversation_id, body }) {
    console.log(`the user writes in ${conversation_id}: ${body}`);
  },
  onHandoffClosed({ conversation_id, type }) {
    console.log(`${conversation_id} is over: ${type}`);
  },
});

const app = express();
// Above express.json(), which would take the bytes away that the signature covers.
app.use("/hooks", expressReceiver(receiver));
app.use(express.json());
app.listen(Number(PORT), () => console.log(`receiving at http://127.0.0.1:${PORT}/hooks`));
