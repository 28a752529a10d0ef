import os
from flask import Flask, request
from desk import receiver

app = Flask(__name__)


@app.post("/hooks")
@app.post("/hooks/<path:path>")
def hooks(path=""):
    # get_data, not json: the signature covers the bytes as they came.
    status, answer = receiver.receive(request.path, request.headers, request.get_data())
    return answer, status, {"content-type": "application/json"}


if __name__ == "__main__":
    app.run("127.0.0.1", int(os.environ.get("PORT", 3000)))
