#!/usr/bin/env python3
"""A client of rinkd in one file, with nothing but Python's standard library (3.9 and later).

    from rinkd import Rinkd
    rink = Rinkd("http://127.0.0.1:8080")                     # token=... where it wants one
    shot = rink.shot({"profile": "dc3", "state": state}, time_ms=3000)
    print(shot.vx, shot.vy, shot.rotation, shot.win_probability)

    job = rink.submit("match", a="rink:simulations=1000", b="ai-simple", pairs=10)
    job = rink.wait(job.id)
    for match in rink.matches(job=job.id):
        for game in rink.games(match["id"]):
            shots = rink.game(game["id"])

Requests are repeated while the service is busy or not to be reached; a job that is submitted twice by
that exists once. What it refuses is a Problem, which names the fields at fault.
"""
from __future__ import annotations

import dataclasses
import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Dict, Iterator, List, Optional, Tuple

RETRIES = 6  # of a request by default, after 0.25, 0.5, ... 8 s or what Retry-After says
BUSY = (429, 503)


class Problem(Exception):
    """What the service refused: status, code, title, detail and errors [{"pointer", "message"}]."""

    def __init__(self, status: int, document: Dict[str, Any]):
        self.status = status
        self.code = str(document.get("type", "")).rsplit("/", 1)[-1]
        self.title = document.get("title", "")
        self.detail = document.get("detail")
        self.errors: List[Dict[str, str]] = document.get("errors", [])
        fields = "".join(f"; {e.get('pointer')}: {e.get('message')}" for e in self.errors)
        super().__init__(f"{status} {self.title}{': ' + self.detail if self.detail else ''}{fields}")


@dataclasses.dataclass(frozen=True)
class Shot:
    """The best shot, for the side to move. `raw` is the whole answer."""

    side: str
    vx: float
    vy: float
    rotation: Optional[str]  # "cw", "ccw"; None: no spin
    native: Optional[Dict[str, Any]]  # of dc2: {"vx", "vy", "spin"} in that server's frame
    angular_velocity: Optional[float]  # of dc4, with translational_velocity and shot_angle
    translational_velocity: Optional[float]
    shot_angle: Optional[float]
    concede: bool
    win_probability: Optional[float]
    expected_score: Optional[float]
    simulations_to_repeat: Optional[int]
    raw: Dict[str, Any]

    @staticmethod
    def of(answer: Dict[str, Any]) -> "Shot":
        shot, value = answer["shot"], answer.get("value") or {}
        return Shot(
            answer["side"], shot["velocity"]["x"], shot["velocity"]["y"], shot.get("rotation"),
            shot.get("native"), shot.get("angular_velocity"), shot.get("translational_velocity"),
            shot.get("shot_angle"), bool(answer.get("concede")), value.get("win_probability"),
            value.get("expected_score"), answer.get("simulations_to_repeat"), answer)

    def dc3_move(self) -> str:
        """The line that a Digital Curling 3 server waits for."""
        move = {"type": "shot", "velocity": {"x": self.vx, "y": self.vy}, "rotation": self.rotation or "ccw"}
        return json.dumps({"cmd": "move", "move": {"type": "concede"} if self.concede else move}) + "\n"

    def dc4_shot(self) -> Dict[str, float]:
        """The body of POST /shots of a Digital Curling 4 server."""
        return {"translational_velocity": self.translational_velocity,
                "angular_velocity": self.angular_velocity, "shot_angle": self.shot_angle}

    def dc2_move(self) -> bytes:
        """The message that a Digital Curling 2 server waits for."""
        if self.concede:
            return b"CONCEDE\0"
        return "BESTSHOT {vx:.9g} {vy:.9g} {spin}\0".format(**self.native).encode()


@dataclasses.dataclass(frozen=True)
class Job:
    """A job. `raw` is the whole document."""

    id: int
    kind: str
    state: str
    progress: Optional[float]
    result: Optional[Dict[str, Any]]
    error: Optional[Dict[str, Any]]
    raw: Dict[str, Any]

    ENDED = ("done", "buried", "cancelled")

    @staticmethod
    def of(document: Dict[str, Any]) -> "Job":
        return Job(document["id"], document.get("kind", ""), document["state"],
                   document.get("progress"), document.get("result"), document.get("error"), document)

    @property
    def has_ended(self) -> bool:
        return self.state in Job.ENDED


class _Stay(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer like any other: a token goes to the service alone."""

    def redirect_request(self, *_args):
        return None


class Rinkd:
    """A service at a URL such as http://127.0.0.1:8080."""

    def __init__(self, url: str = "http://127.0.0.1:8080", token: Optional[str] = None,
                 timeout_s: float = 120.0, retries: int = RETRIES):
        self.url = url.rstrip("/")
        self.token = token
        self.timeout_s = timeout_s
        self.retries = retries
        self._opener = urllib.request.build_opener(_Stay)

    # ---- requests

    def _open(self, method: str, path: str, body: Any = None, headers: Optional[Dict[str, str]] = None,
              timeout_s: Optional[float] = None):
        head = {"Accept": "application/json", **(headers or {})}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            head["Content-Type"] = "application/json"
        if self.token:
            head["Authorization"] = "Bearer " + self.token
        request = urllib.request.Request(self.url + path, data, head, method=method)
        for tries in range(self.retries + 1):
            wait_s = 0.25 * 2**tries
            try:
                return self._opener.open(request, timeout=timeout_s or self.timeout_s)
            except urllib.error.HTTPError as refused:
                if refused.code not in BUSY or tries == self.retries:
                    try:
                        document = json.loads(refused.read() or b"{}")
                    except ValueError:
                        document = {}
                    raise Problem(refused.code, document) from None
                after = refused.headers.get("Retry-After", "")
                wait_s = float(after) if after.isdigit() else wait_s
                refused.close()
            except (urllib.error.URLError, ConnectionError):
                if tries == self.retries:
                    raise
            time.sleep(wait_s)
        raise AssertionError("not reached")

    def request(self, method: str, path: str, body: Any = None,
                headers: Optional[Dict[str, str]] = None) -> Any:
        """Any request of the contract (/openapi.yaml); the parsed answer, None if it has no body."""
        with self._open(method, path, body, headers) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def get(self, path: str, **query: Any) -> Any:
        return self.request("GET", path + _query(query))

    def items(self, path: str, **query: Any) -> Iterator[Dict[str, Any]]:
        """All items of a list, page by page."""
        cursor: Optional[str] = None
        while True:
            page = self.get(path, cursor=cursor, **query)
            yield from page["items"]
            cursor = page.get("next_cursor")
            if not cursor:
                return

    def events(self, path: str) -> Iterator[Tuple[str, Any]]:
        """(name, data) of a stream such as /v1/jobs/7/events, until it ends."""
        with self._open("GET", path, headers={"Accept": "text/event-stream"}) as stream:
            name, data = "", []  # type: str, List[str]
            for line in stream:
                text = line.decode().rstrip("\r\n")
                if not text:
                    if data:
                        yield name, json.loads("\n".join(data))
                    name, data = "", []
                elif text.startswith("event:"):
                    name = text[6:].strip()
                elif text.startswith("data:"):
                    data.append(text[5:].lstrip())

    # ---- shots

    def shot(self, query: Dict[str, Any], time_ms: Optional[int] = None,
             simulations: Optional[int] = None, player: Optional[str] = None,
             clock: bool = False) -> Shot:
        """The best shot for a query, or for an update of a Digital Curling 3 server as it is."""
        query = dict(query)
        limits = dict(query.get("limits", {}))
        limits.update({k: v for k, v in (("time_ms", time_ms), ("simulations", simulations),
                                         ("clock", clock or None)) if v is not None})
        if limits:
            query["limits"] = limits
        if player:
            query["player"] = player
        return Shot.of(self.request("POST", "/v1/shots", query))

    def dc3_shot(self, update: Dict[str, Any], game: Optional[Dict[str, Any]] = None,
                 player_order: Optional[Dict[str, List[int]]] = None, **limits: Any) -> Shot:
        """The same for the update, with `game` of is_ready beside it; by default by the clock."""
        query = dict(update)
        if game:
            query["game"] = game
            if player_order:
                query["player_order"] = player_order
        has_clock = bool(update.get("state", {}).get("thinking_time_remaining"))
        return self.shot(query, **(limits or {"clock": has_clock}))

    def dc2_shot(self, shot: int, end: int, ends: int, to_move: int, position: List[float],
                 scores: Optional[List[int]] = None, **limits: Any) -> Shot:
        """The same for the numbers of SETSTATE, POSITION and SCORE of a Digital Curling 2 server."""
        native = {"shot": shot, "end": end, "ends": ends, "to_move": to_move, "position": position}
        if scores:
            native["scores"] = scores
        return self.shot({"profile": "dc2", "state": {"native": native}}, **limits)

    # ---- jobs and games

    def submit(self, kind: str, **spec: Any) -> Job:
        """Adds a job; sent again after a failure it is still one job."""
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        return Job.of(self.request("POST", "/v1/jobs", {"kind": kind, "spec": spec}, headers))

    def job(self, number: int) -> Job:
        return Job.of(self.get(f"/v1/jobs/{number}"))

    def wait(self, number: int, timeout_s: Optional[float] = None) -> Job:
        """The job when it has ended, or after timeout_s as it is then."""
        end_s = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            left_s = 30.0 if end_s is None else min(30.0, end_s - time.monotonic())
            headers = {"Prefer": f"wait={max(int(left_s), 1)}"}
            job = Job.of(self.request("GET", f"/v1/jobs/{number}", None, headers))
            if job.has_ended or (end_s is not None and time.monotonic() >= end_s):
                return job

    def cancel(self, number: int) -> Job:
        return Job.of(self.request("POST", f"/v1/jobs/{number}/cancel"))

    def matches(self, **query: Any) -> Iterator[Dict[str, Any]]:
        return self.items("/v1/matches", **query)

    def games(self, match: int) -> Iterator[Dict[str, Any]]:
        return self.items(f"/v1/matches/{match}/games")

    def game(self, name: str) -> List[Dict[str, Any]]:
        """A game: a line that describes it, then one for each shot."""
        path = "/v1/games/" + urllib.parse.quote(name)
        with self._open("GET", path, headers={"Accept": "application/x-ndjson"}) as answer:
            return [json.loads(line) for line in answer if line.strip()]


def _query(parts: Dict[str, Any]) -> str:
    given = {key: value for key, value in parts.items() if value is not None}
    return "?" + urllib.parse.urlencode(given) if given else ""
