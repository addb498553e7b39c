#!/usr/bin/env python3
"""Receives messages of webhooks and prints one line for each that is genuine and new.

    deploy/examples/webhook.py SECRET [PORT]        SECRET: from `rinkctl webhook-add URL`

It answers 204 when it has taken a message, so that rinkd does not send it again.
"""
import base64
import hashlib
import hmac
import http.server
import json
import sys
import time

if len(sys.argv) < 2 or not sys.argv[1].startswith("whsec_"):
    sys.exit("usage: webhook.py SECRET [PORT]")
KEY = base64.b64decode(sys.argv[1][len("whsec_"):])
OLDEST_S = 300  # older messages may be repeated by somebody who has listened in
seen = set()  # a message may come more than once


def is_genuine(headers, body):
    """Whether somebody who knows the secret has sent it lately."""
    name, sent = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent.isdigit() or abs(time.time() - int(sent)) > OLDEST_S:
        return False
    text = f"{name}.{sent}.".encode() + body
    right = base64.b64encode(hmac.new(KEY, text, hashlib.sha256).digest()).decode()
    given = headers.get("webhook-signature", "").split()
    return any(hmac.compare_digest(one.encode(), f"v1,{right}".encode()) for one in given)


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        genuine = is_genuine(self.headers, body)
        self.send_response(204 if genuine else 401)
        self.end_headers()
        if genuine and self.headers["webhook-id"] not in seen:
            seen.add(self.headers["webhook-id"])
            message = json.loads(body)
            print(message["type"], message["data"].get("id", ""), flush=True)

    def log_message(self, *words):
        pass


port = int(sys.argv[2]) if len(sys.argv) > 2 else 8090
http.server.ThreadingHTTPServer(("127.0.0.1", port), Receiver).serve_forever()
