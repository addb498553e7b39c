"""Runs the commands of the pages: check_pages.py ROOT, with $url, $work and its bin/ from check_pages.sh.
A block ```sh runs as it is but for addresses and placeholders; the block without a language right below it
is what it prints. Commands in backquotes run, too, if they are whole. Prints what differs."""
import os
import re
import subprocess
import sys

PAGES = ["README.md", "api/README.md", "deploy/README.md", "deploy/competition.md", "deploy/tour.md",
         "workers/README.md", "workers/search/rink.md", "workers/holdem/holdem.md"]
OURS = r"(?:rinkctl|rinkd|rink-[a-z]+)"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
# Set up the machine, or repeat what other tests do (tests/run.sh, container.sh); hours.
LEFT_TO_OTHERS = re.compile(r"^(deploy/quickstart\.sh|tests/|deploy/install-deps\.sh|deploy/make-secrets\.sh|install -|echo '.*/etc/"
                            r"|tar |rm -f restored|mv \"\$\(ls restored|mkdir restored|export PATH|cmake |ctest |build/).*\n?", re.M)
# What no two runs share.
CHANCE = {"id", "elapsed_ms", "queue_ms", "at_ms"}

root, work, url = sys.argv[1], os.environ["work"], os.environ["url"]
host, port = url.split("//")[1].split(":")
failures = 0


def fail(page, command, why):
    global failures
    failures += 1
    print(f"pages: {page}: {command}\n{why}")


def in_sandbox(text):
    """The text with the addresses, files and placeholders of this run."""
    for was, now in (("http://127.0.0.1:8080", url), ("127.0.0.1 8080", f"{host} {port}"),
                     ("RINKCTL_SERVER=https://192.0.2.1:8080", f"RINKCTL_SERVER={url}"), ("/tmp/shot", f"{work}/shot"),
                     ('"iterations": 2000', '"iterations": 4'), ('"evaluate_every": 500', '"evaluate_every": 1'),
                     ('"evaluate_pairs": 50', '"evaluate_pairs": 1')):
        text = text.replace(was, now)
    return text


def run(text):
    env = dict(os.environ, PATH=f"{work}/bin:{os.environ['PATH']}", RINKCTL_SERVER=url)
    return subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=f"{work}/place", env=env,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)


def members(text):
    """The members of printed JSON in their order, as ("name", value); values of objects are None."""
    return re.findall(r'"([^"]+)":("[^"]*"|-?[0-9][0-9.e+-]*|true|false|null)?', text)


def near(a, b):
    try:
        return abs(float(a) - float(b)) <= 1e-4 * max(abs(float(a)), abs(float(b)))
    except ValueError:
        return a == b


def differs(told, came):
    """Why a page's output is not what came; None: it is. "…" in the page stands for anything."""
    if "at_ms" in told:
        def shape(text):
            return set(re.sub(r"[0-9a-f]{32}|[0-9][0-9.]*", "N", text).split("\n"))
        return None if shape(told) == shape(came) else "the form is another"
    if "…" not in told:
        told_words, came_words = re.split(r"([\s,:\[\]{}]+)", told), re.split(r"([\s,:\[\]{}]+)", came)
        skip = False
        if len(told_words) != len(came_words):
            return "more or less came"
        for a, b in zip(told_words, came_words):
            if not skip and not near(a, b):
                return f"'{a}' is told, '{b}' came"
            skip = (a.strip('"') in CHANCE) or (skip and not a.strip(',:[]{} \n'))
        return None
    there = members(came)
    at = 0
    for name, value in members(told):
        while at < len(there) and there[at][0] != name:
            at += 1
        if at == len(there):
            return f"'{name}' did not come"
        if name not in CHANCE and value and not near(value, there[at][1]):
            return f"'{name}' is told as {value}, {there[at][1]} came"
        at += 1
    return None


def check_block(page, text, told):
    commands = LEFT_TO_OTHERS.sub("", text)
    if not commands.strip():
        return
    done = run(in_sandbox(commands))
    if done.returncode != 0:
        fail(page, text, f"ends with {done.returncode}: {done.stderr}")
    elif told is not None and differs(told.strip(), done.stdout.strip()):
        why = differs(told.strip(), done.stdout.strip())
        fail(page, text, f"{why}; it prints\n{done.stdout}")


def check_words(page, text):
    """A command in backquotes."""
    values = {"ID": first_job(), "JOB": first_job(), "DATA": f"{work}/data", "FOLDER": f"{work}/out{len(os.listdir(work))}"}
    text = re.sub(r"\b(ID|JOB|DATA|FOLDER)\b", lambda found: values[found[0]], " ".join(text.split()))
    text = re.sub(r"\[(.*?)\]", r"\1", text)
    done = run(in_sandbox(text))
    # The name of a command or of an option is no whole command.
    is_a_name = re.search(r" (is missing|is needed|are needed)", done.stderr)
    option = re.search(r"^(.*) (--[a-z-]+)$", text)
    if option:
        is_a_name = is_a_name or option[2] in run(f"{work}/programs/{option[1]} --help").stdout
    if done.returncode != 0 and not is_a_name:
        fail(page, text, f"ends with {done.returncode}: {done.stderr}")


def first_job():
    return run(f"curl -s '{url}/v1/jobs?kind=match&state=done' | jq '.items[0].id'").stdout.strip()


def check_page(page):
    with open(f"{root}/{page}", encoding="utf-8") as file:
        text = file.read()
    blocks = list(FENCE.finditer(text))
    for block, after in zip(blocks, blocks[1:] + [None]):
        if block[1] != "sh":
            continue
        follows = after is not None and after[1] == "" and not text[block.end():after.start()].strip()
        check_block(page, block[2], after[2] if follows else None)
    # Whole commands: no "…", no placeholder that no run can fill, more than a name.
    for found in re.finditer(r"`(" + OURS + r" [^`]+)`", FENCE.sub("", text)):
        if not re.search(r"…|\bNAME\b|\bFILE\b|game\.dcl2", found[1]):
            check_words(page, found[1])


def check_strength():
    """Each figure of the README's table of strength is in a page that it comes from."""
    pages = ""
    for page in ("workers/search/rink.md", "workers/learn/reproduction.md"):
        with open(f"{root}/{page}", encoding="utf-8") as file:
            pages += file.read()
    with open(f"{root}/README.md", encoding="utf-8") as file:
        figures = re.findall(r"([0-9.]+) % \(([0-9.]+)–([0-9.]+)\)", file.read())
    if len(figures) < 4:
        fail("README.md", "the table of strength", "has no figures with intervals")
    for share, low, high in figures:
        if f"{share} ({low}-{high})" not in pages:
            fail("README.md", f"{share} % ({low}–{high})", "stands in no page of measurements")


os.makedirs(f"{work}/place/deploy/secrets")
for name in os.listdir(f"{root}/deploy"):
    os.symlink(f"{root}/deploy/{name}", f"{work}/place/deploy/{name}")
for name in ("tests", "README.md"):
    os.symlink(f"{root}/{name}", f"{work}/place/{name}")
with open(f"{root}/deploy/examples/shot.json", encoding="utf-8") as file:
    position = file.read()
made = run("rinkd --new-token admin:me").stdout.splitlines()
for name, content in (("tokens", made[-1]), ("admin.token", made[0]), ("node.token", made[0])):
    for folder in ("deploy/secrets", "secrets"):
        os.makedirs(f"{work}/place/{folder}", exist_ok=True)
        with open(f"{work}/place/{folder}/{name}", "w", encoding="utf-8") as file:
            file.write(content + "\n")
with open(f"{work}/place/position.json", "w", encoding="utf-8") as file:
    file.write(position)
for page in sys.argv[2:] or PAGES:
    check_page(page)
check_strength()
sys.exit(failures > 0)
