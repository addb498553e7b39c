#!/usr/bin/env python3
"""Asks rinkd for a shot, with rinkd.py of deploy/clients and nothing else:

    ./shot.py 127.0.0.1 8080 <shot.json         (RINKCTL_TOKEN=... where it wants a token)

Sends standard input to POST /v1/shots: a query, or an update of a Digital Curling 3 server. Writes the
shot, "X Y ROTATION", in m/s across and up the sheet as a Digital Curling 3 server wants it; for dc2
"VX VY SPIN" and for dc4 "SPEED ANGLE TURN", as those servers want it. When something is wrong, says so
on standard error and ends with 1.
"""
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "clients"))
from rinkd import Problem, Rinkd  # noqa: E402


def words(shot):
    """The shot as the server of its profile wants it."""
    if shot.native:
        return f"{shot.native['vx']:.9f} {shot.native['vy']:.9f} {shot.native['spin']}"
    if shot.angular_velocity is not None:
        return f"{shot.translational_velocity:.9f} {shot.shot_angle:.9f} {shot.angular_velocity:.9f}"
    return f"{shot.vx:.9f} {shot.vy:.9f} {shot.rotation}"


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: shot.py HOST PORT <query.json")
    rink = Rinkd(f"http://{sys.argv[1]}:{sys.argv[2]}", os.environ.get("RINKCTL_TOKEN"), retries=0)
    try:
        print(words(rink.shot(json.load(sys.stdin))))
    except (Problem, OSError, ValueError) as error:
        sys.exit(f"shot.py: {error}")


if __name__ == "__main__":
    main()
