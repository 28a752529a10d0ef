import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from desk import receiver


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            status, answer = receiver.receive(self.path, self.headers, body)
        except Exception as error:
            self.log_error("%r", error)
            status, answer = 500, "{}"
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer.encode())

    def log_request(self, *_):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 128


port = int(os.environ.get("PORT", 3000))
print(f"receiving at http://127.0.0.1:{port}/hooks", flush=True)
Server(("127.0.0.1", port), Handler).serve_forever()
