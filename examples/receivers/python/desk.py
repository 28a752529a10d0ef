"""What happens with each call. The human here repeats what the user says, and closes at "bye": put yours in."""

import os, threading, time
from signalbox import Receiver, call


def on_message(message):
    text = "\n".join(output["content"]["text"] for output in message["output"])
    print(f"said in {message['conversation_id']}: {text}", flush=True)


def on_handoff_requested(handoff):
    print(f"a person is wanted in {handoff['conversation_id']}: {handoff['body'][-1:]}", flush=True)
    later(reply, handoff["conversation_id"], "Hello, this is Ada. How can I help?")


def on_user_message(message):
    id, text = message["conversation_id"], message["body"]
    print(f"the user writes in {id}: {text}", flush=True)
    if text == "bye":
        later(call, "/v1/human/close", {"conversation_id": id, "timestamp": now()})
    else:
        later(reply, id, f"You said: {text}")


def on_handoff_closed(handoff):
    print(f"{handoff['conversation_id']} is over: {handoff['type']}", flush=True)


def reply(id, text):
    call("/v1/human/message/receive", {"conversation_id": id, "timestamp": now(), "body": text, "human_name": "Ada"})


def now():
    return time.time_ns() // 1_000_000


def later(work, *arguments):
    """After the answer: the agent answers what a desk closes without acknowledging. Without an API key, it only listens."""
    if "SIGNALBOX_API_KEY" in os.environ:
        threading.Timer(1, work, arguments).start()


receiver = Receiver(
    {
        "message": on_message,
        "handoff_requested": on_handoff_requested,
        "user_message": on_user_message,
        "handoff_closed": on_handoff_closed,
    }
)
