"""A delegate of Vitrine over HTTP: images below closed/ are for readers only. Needs Python alone.
VITRINE_SECRET is the value of delegate.http.secret; the delegate.http.url is http://127.0.0.1:9000"""
import hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET, READERS = os.environ["VITRINE_SECRET"].encode(), {"ann", "bob"}

def pre_authorize(identifier, cookies):
    if not identifier.startswith("closed/") or cookies.get("reader") in READERS:
        return True
    return {"status_code": 401, "challenge": 'Bearer realm="Images"'}

class Delegate(BaseHTTPRequestHandler):
    protocol_version, wbufsize = "HTTP/1.1", -1  # connections stay open, and answers are sent at once

    def do_GET(self):  # says what methods there are, and what each is sent of the context
        self.answer("methods", b"", lambda: {"methods": {"pre_authorize": {"context": ["identifier", "cookies.reader"]}}})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.answer("pre_authorize", body, lambda: pre_authorize(**json.loads(body)["context"]))

    def answer(self, name, body, result):
        known = self.path == "/" + name
        signed = dict(part.split("=", 1) for part in self.headers.get("Vitrine-Signature", "t=0,v1=").split(","))
        digest = hmac.new(SECRET, f"{signed['t']}.{name}.".encode() + body, hashlib.sha256).hexdigest()
        genuine = hmac.compare_digest(digest, signed["v1"]) and abs(time.time() - int(signed["t"])) < 300
        text = json.dumps(result() if known and genuine else None).encode()
        self.send_response(200 if known and genuine else 401 if known else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.send_header("Cache-Control", "max-age=60")  # the same question has the same answer for a minute
        self.end_headers()
        self.wfile.write(text)

if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Delegate).serve_forever()
