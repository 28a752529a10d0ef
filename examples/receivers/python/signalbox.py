"""Receives Signalbox's webhooks and calls its API, with the standard library alone. Copy it into your project."""

import base64, hashlib, hmac, json, os, threading, time, urllib.request
from collections import OrderedDict

EVENTS = {
    "/conversation/establish": "handoff_requested",
    "/chat": "user_message",
    "/conversation/close": "handoff_closed",
}


def is_signed(headers, body, secrets, tolerance=300):
    """True if Signalbox signed these bytes with one of the secrets, at most five minutes ago."""
    id, timestamp = headers.get("webhook-id"), headers.get("webhook-timestamp") or ""
    if not id or not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > tolerance:
        return False
    given = (headers.get("webhook-signature") or "").encode().split(b" ")
    content = f"{id}.{timestamp}.".encode() + body
    for secret in secrets:
        key = base64.b64decode(secret.removeprefix("whsec_"))
        signature = b"v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest())
        if any([hmac.compare_digest(signature, one) for one in given]):
            return True
    return False


class Receiver:
    """`handlers` maps an event to a function of the body. It returns soon: the service waits ten seconds."""

    def __init__(self, handlers, environment=os.environ):
        self.handlers = handlers
        self.secrets = environment["SIGNALBOX_SIGNING_SECRET"].split()  # Two during a rotation.
        username = environment.get("SIGNALBOX_WEBHOOK_USERNAME")
        secret = environment.get("SIGNALBOX_WEBHOOK_SECRET")
        basic = base64.b64encode(f"{username}:{secret}".encode()).decode()
        self.authorization = username and (f"Basic {basic}" if secret else f"Bearer {username}")
        # With several processes, keep the ids in your database, in the transaction that writes the effect.
        self.seen, self.lock = OrderedDict(), threading.Lock()

    def receive(self, path, headers, body):
        """The status and the JSON text to answer. `headers.get` ignores case; `body` is the raw bytes."""
        authorization = (headers.get("authorization") or "").encode()
        if self.authorization and not hmac.compare_digest(authorization, self.authorization.encode()):
            return 401, "{}"
        if not is_signed(headers, body, self.secrets):
            return 401, "{}"
        event = next((event for end, event in EVENTS.items() if path.endswith(end)), "message")
        call, id = json.loads(body), headers.get("webhook-id")
        if not call.get("istest") and self.is_first(id):
            try:
                self.handlers[event](call)
            except BaseException:
                with self.lock:
                    self.seen.pop(id, None)  # The next attempt is handled again.
                raise
        return 200, json.dumps({"code": 200, "msg" if event == "message" else "message": "success"})

    def is_first(self, id):
        with self.lock:
            if id in self.seen:
                return False
            self.seen[id] = True
            if len(self.seen) > 100_000:
                self.seen.popitem(last=False)
            return True


def open_call(path, body):
    """Makes an API call with SIGNALBOX_URL and SIGNALBOX_API_KEY; a failure raises HTTPError."""
    headers = {"authorization": f"Bearer {os.environ['SIGNALBOX_API_KEY']}", "content-type": "application/json"}
    request = urllib.request.Request(os.environ["SIGNALBOX_URL"] + path, json.dumps(body).encode(), headers)
    return urllib.request.urlopen(request, timeout=30)


def call(path, body):
    with open_call(path, body) as reply:
        return json.load(reply)


def stream(path, body):
    """The events of a streaming reply, as they come: {"code", "message", "data"}."""
    with open_call(path, body) as reply:
        for line in reply:
            if line.startswith(b"data:"):
                yield json.loads(line[len(b"data:") :])
