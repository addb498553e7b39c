"""Uses deploy/clients/rinkd.py as its head describes: clients_check.py FOLDER URL; the token is in the
environment. Prints "well" if everything holds."""
import http.server
import os
import socket
import sys
import threading

sys.path.insert(0, sys.argv[1])
from rinkd import Problem, Rinkd  # noqa: E402

rink = Rinkd(sys.argv[2], os.environ["RINKCTL_TOKEN"])
job = rink.submit("match", a="random", b="ai-simple", ends=1, pairs=2)
states = [data.get("state") for name, data in rink.events(f"/v1/jobs/{job.id}/events") if isinstance(data, dict)]
job = rink.wait(job.id)
assert job.has_ended and job.state == "done" and states, (job, states)
games = [game for match in rink.matches(job=job.id) for game in rink.games(match["id"])]
assert len(games) == 4 and len(rink.game(games[0]["id"])) == 17, games

empty = {"team0": [], "team1": []}
state = {"end": 0, "shot": 0, "hammer": "team1", "scores": empty, "stones": empty}
shot = rink.shot({"profile": "dc4", "state": state}, player="ai-simple")
assert shot.side == "team0" and set(shot.dc4_shot()) == {"translational_velocity", "angular_velocity", "shot_angle"}
update = {"cmd": "update", "next_team": "team0", "last_move": None,
          "state": dict(state, thinking_time_remaining={"team0": 60.0, "team1": 60.0})}
assert '"move"' in rink.dc3_shot(dict(update, player="ai-simple")).dc3_move()
move = rink.dc2_shot(2, 0, 8, 0, [3.375, 4.88] + [0.0] * 30, simulations=500)
assert move.dc2_move().startswith(b"BESTSHOT ") and move.native["vy"] < 0.0, move
try:
    rink.shot({"profile": "dc3", "state": dict(state, shot=99)})
    sys.exit("a bad query was answered")
except Problem as problem:
    assert problem.status == 422 and problem.errors[0]["pointer"] == "/state/shot", problem

# A redirect is told, not followed: the token goes to the service alone.
stranger = socket.create_server(("127.0.0.1", 0))
stranger.settimeout(0)


class Redirect(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(302)
        self.send_header("Location", "http://127.0.0.1:%d/" % stranger.getsockname()[1])
        self.end_headers()

    def log_message(self, *_args):
        pass


with http.server.HTTPServer(("127.0.0.1", 0), Redirect) as server:
    threading.Thread(target=server.handle_request).start()
    try:
        Rinkd("http://127.0.0.1:%d" % server.server_port, "secret", retries=0).job(1)
        sys.exit("a redirect was followed")
    except Problem as problem:
        assert problem.status == 302, problem
try:
    stranger.accept()
    sys.exit("a stranger was called")
except BlockingIOError:
    pass
print("well")
