"""python3 client.py "When do you open?" prints the agent's answer twice: whole, and piece by piece."""

import sys
from signalbox import call, stream

question = sys.argv[1]
conversation = call("/v1/conversation", {"user_id": "u-1"})["conversation_id"]
message = {"conversation_id": conversation, "messages": [{"role": "user", "content": question}]}

reply = call("/v2/conversation/message", {**message, "response_mode": "blocking"})
print("blocking: ", reply["output"][0]["content"]["text"])

print("streaming: ", end="")
shown = ""
for event in stream("/v2/conversation/message", {**message, "response_mode": "streaming"}):
    if event["code"] == 3:
        shown += event["data"]
        print(event["data"], end="", flush=True)
    elif event["code"] == 10:  # The whole reply, as it is stored: it wins.
        whole = "".join(output["content"]["text"] for output in event["data"])
        print("" if whole == shown else f"\ncorrected: {whole}")
    elif event["code"] >= 40000:
        sys.exit(event["message"])
