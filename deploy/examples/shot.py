#!/usr/bin/env python3
"""Asks rinkd for a shot, with nothing but Python's standard library:

    ./shot.py 127.0.0.1 8080 <shot.json         (RINKCTL_TOKEN=... where it wants a token)

Sends standard input as it is to POST /v1/shots. Writes the shot, "X Y ROTATION", as a Digital Curling
server wants to have it: m/s across and up the sheet, cw or ccw. When something is wrong, says so on
standard error and ends with 1.
"""
import json
import os
import sys
import urllib.error
import urllib.request


def ask(host, port, query, token=None):
    """The best shot for a query (bytes of JSON), as rinkd tells it."""
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = "Bearer " + token
    request = urllib.request.Request(f"http://{host}:{port}/v1/shots", query, headers)
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: shot.py HOST PORT <query.json")
    try:
        answer = ask(sys.argv[1], sys.argv[2], sys.stdin.buffer.read(), os.environ.get("RINKCTL_TOKEN"))
    except urllib.error.HTTPError as problem:  # says which field is at fault
        sys.exit("shot.py: " + problem.read().decode())
    except OSError as error:
        sys.exit(f"shot.py: {error}")
    velocity = answer["shot"]["velocity"]
    print(f"{velocity['x']:.9f} {velocity['y']:.9f} {answer['shot']['rotation']}")


if __name__ == "__main__":
    main()
