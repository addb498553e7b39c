/* Stands in for the programs that the daemon starts; the member "do" of the question or job names a
 * way to behave or misbehave. Run as rink-evaluate, rink-learn or rink-compete it is a job worker
 * on descriptor 3, else a warm process on standard input and output. */
#include "api/jobs/wire.h"

#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FLOOD = 20000, ENDLESS = 3 << 20, STAY_US = 500000, LATE_S = WIRE_HELLO_S + 2 };

static FILE *from, *to;

static json_t *next_line(void)
{
    static char *line;
    static size_t size;

    return getline(&line, &size, from) > 0 ? json_loads(line, 0, NULL) : NULL;
}

static void say(const char *text)
{
    fprintf(to, "%s\n", text);
    fflush(to);
}

static void say_json(json_t *document)
{
    char *text = json_dumps(document, JSON_COMPACT);
    say(text);
    free(text);
    json_decref(document);
}

static const char *word(json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static _Noreturn void hang(void)
{
    for (;;)
        pause();
}

static void endless_line(void)
{
    for (int k = 0; k < ENDLESS; k++)
        putc('x', to);
    fflush(to);
}

/* ---- a warm process ---- */

static void answer(json_t *id, const char *stopped)
{
    say_json(json_pack("{s:O, s:b, s:s?, s:i, s:f, s:f, s:i}", "id", id, "is_final", 1, "stopped",
                       stopped, "simulations", 5, "elapsed_ms", 0.1, "queue_ms", 0.0, "pid",
                       (int)getpid()));
}

/* Waits for "ms", the question's time-out or its cancellation. */
static void think(json_t *question, const char *how)
{
    json_t *id = json_object_get(question, "id"),
           *timeout = json_object_get(question, "timeout_ms");
    int ms = (int)json_integer_value(json_object_get(question, "ms"));
    int limit_ms = timeout ? (int)json_integer_value(timeout) : ms;
    struct pollfd fd = {.fd = fileno(from), .events = POLLIN};

    if (strcmp(how, "think aloud") == 0)
        say_json(json_pack("{s:O, s:b, s:i}", "id", id, "is_final", 0, "simulations", 3));
    if (poll(&fd, 1, ms < limit_ms ? ms : limit_ms) == 0) {
        answer(id, ms < limit_ms || !timeout ? NULL : "timeout");
        return;
    }
    json_decref(next_line()); /* the only one possible now is its cancellation */
    answer(id, "cancel");
}

static void answer_question(json_t *question)
{
    json_t *id = json_object_get(question, "id");
    const char *how = word(question, "do");
    static bool has_stopped_early;
    bool is_first = !has_stopped_early;

    has_stopped_early = strcmp(how, "stop early once") == 0;
    if (strcmp(how, "die") == 0)
        raise(SIGKILL);
    else if (strcmp(how, "hang") == 0)
        hang();
    else if (strcmp(how, "stop") == 0)
        raise(SIGSTOP);
    else if (strcmp(how, "garbage") == 0)
        say("{\"id\":");
    else if (strcmp(how, "refuse") == 0)
        say_json(json_pack("{s:O, s:b, s:[{s:s, s:s, s:s}]}", "id", id, "is_final", 1, "errors",
                           "pointer", "/player", "code", "value", "message",
                           "nobody is called so"));
    else if (strcmp(how, "stop early once") == 0)
        answer(id, is_first ? "timeout" : NULL);
    else if (strncmp(how, "think", 5) == 0)
        think(question, how);
    else if (json_object_get(question, "id")) {
        if (strcmp(how, "partial") == 0)
            say_json(json_pack("{s:O, s:b}", "id", id, "is_final", 0));
        if (strcmp(how, "noise") == 0)
            say("{\"id\":-1,\"is_final\":true}");
        answer(id, NULL);
    }
}

/* ---- a worker ---- */

static void hello(void)
{
    say("{\"type\":\"hello\",\"protocol\":3,\"version\":\"0\",\"kinds\":[\"match\",\"host\","
        "\"rate\","
        "\"tournament\",\"exploitability\",\"diagnose\",\"train\"]}");
}

static void done(void)
{
    say("{\"type\":\"done\",\"result\":{\"answer\":42}}");
}

static void flood(json_t *run)
{
    for (int k = 0; k < FLOOD; k++) {
        fputs("{\"type\":\"beat\",\"progress\":0.5,\"eta_s\":1}\n", to);
        if (k % 10 == 0)
            fputs("{\"type\":\"partial\",\"result\":{\"so\":\"far\"}}\n", to);
    }
    for (int k = 0; k < 300; k++)
        say_json(json_pack("{s:s, s:[{s:O, s:s, s:i, s:i}]}", "type", "metrics", "rows", "run", run,
                           "name", "loss", "step", k, "value", k));
    done();
}

/* Waits for the daemon's decision. After letting go of the job it exits at once, or stays for a
 * while. */
static void obey(bool stays)
{
    say("{\"type\":\"beat\",\"progress\":0.25,\"eta_s\":null}");
    json_t *order = next_line();
    const char *type = word(order, "type");

    if (strcmp(type, "cancel") == 0)
        say("{\"type\":\"done\",\"result\":{\"answer\":1},\"cancelled\":true}");
    if (strcmp(type, "drain") == 0) {
        say("{\"type\":\"released\"}");
        usleep(stays ? STAY_US : 0);
        exit(0);
    }
    json_decref(order);
}

/* Writes a file in the job's folder and computes its hash. */
static void write_file(json_t *job, const char *name, const char *bytes, size_t size,
                       char ret_sha256[65])
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    char path[512];

    snprintf(path, sizeof path, "%s/%s", word(job, "folder"), name);
    FILE *file = fopen(path, "w");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        exit(4);
    crypto_hash_sha256(hash, (const unsigned char *)bytes, size);
    sodium_bin2hex(ret_sha256, 65, hash, sizeof hash);
}

/* Reports a checkpoint or a model of a step. Weights files are minimal: the header names the step,
 * and there are no tensors. With `lie` the hash is wrong. */
static void announce(json_t *job, const char *type, int step, bool is_weights, bool lie)
{
    const char *run = json_string_value(json_array_get(json_object_get(job, "runs"), 0));
    char name[80], text[80], bytes[96] = "", sha256[65];
    size_t size = (size_t)snprintf(text, sizeof text, "{\"__metadata__\":{\"step\":\"%d\"}}", step);
    bool is_model = strcmp(type, "model") == 0;

    snprintf(name, sizeof name, "%s-%d.%s", run, step, is_model ? "safetensors" : "checkpoint");
    bytes[0] = (char)size; /* the length, 8 bytes */
    memcpy(bytes + 8, text, size);
    write_file(job, name, is_weights ? bytes : "anything", is_weights ? 8 + size : 8, sha256);
    sha256[0] = lie ? (sha256[0] == '0' ? '1' : '0') : sha256[0];
    json_t *line = json_pack("{s:s, s:s, s:s, s:s, s:i}", "type", type, "run", run, "path", name,
                             "sha256", sha256, "step", step);
    if (is_model)
        json_object_set_new(line, "name", json_string("average"));
    say_json(line);
}

/* The output of a task. */
static void make_file(json_t *job)
{
    char name[64], sha256[65];

    snprintf(name, sizeof name, "task-%d.x",
             (int)json_integer_value(json_object_get(json_object_get(job, "task"), "number")));
    write_file(job, name, "bytes", 5, sha256);
    say_json(json_pack("{s:s, s:s, s:s}", "type", "output", "path", name, "sha256", sha256));
    done();
}

static void learn(json_t *job)
{
    for (int step = 1; step <= 5; step++) {
        announce(job, "checkpoint", step, false, false);
        announce(job, "model", step, true, false);
    }
    done();
}

/* Returns false if `how` is not a way to misbehave. */
static bool misbehave(json_t *job, const char *how)
{
    bool is_first = json_integer_value(json_object_get(job, "attempt")) == 1;

    if (strcmp(how, "die") == 0 || (strcmp(how, "die once") == 0 && is_first))
        raise(SIGKILL);
    else if (strcmp(how, "exit") == 0)
        exit(3);
    else if (strcmp(how, "talk garbage") == 0)
        say("garbage");
    else if (strcmp(how, "talk garbage and stay") == 0) {
        signal(SIGTERM, SIG_IGN);
        say("garbage");
        hang();
    } else if (strcmp(how, "talk endlessly") == 0)
        endless_line();
    else if (strcmp(how, "merge") == 0)
        say("{\"type\":\"merged\",\"through\":1}");
    else if (strcmp(how, "report to a stranger") == 0)
        say("{\"type\":\"metrics\",\"rows\":[{\"run\":\"x\",\"name\":\"a\",\"step\":1,\"value\":1}]"
            "}");
    else if (strcmp(how, "give a model with another hash") == 0)
        announce(job, "model", 1, true, true);
    else if (strcmp(how, "give a model that is none") == 0)
        announce(job, "model", 1, false, false);
    else if (strcmp(how, "do it and stay") == 0)
        done();
    else
        return false;
    return true;
}

/* ---- a lead ---- */

/* Offers spec.tasks tasks, merges them in order, and is done after the last one. With "lead and
 * die" it dies after its first merge; with "lead and stop" it is done then. With "lead and drop" it
 * needs none as soon as one runs, and goes on; with "lead and refuse" it refuses each once. */
static void lead(json_t *job, const char *how)
{
    json_t *spec = json_object_get(job, "spec"), *tasks = json_object_get(job, "tasks");
    int wanted = (int)json_integer_value(json_object_get(spec, "tasks"));
    int merged = (int)json_integer_value(json_object_get(tasks, "merged")), done_count = merged;
    bool dies = strcmp(how, "lead and die") == 0 && merged == 0;
    bool is_done[64] = {false}, is_refused[64] = {false};
    bool drops = strcmp(how, "lead and drop") == 0, refuses = strcmp(how, "lead and refuse") == 0;
    json_t *offers = json_array(), *line;

    for (int k = 1 + merged + (int)json_array_size(json_object_get(tasks, "open")); k <= wanted;
         k++)
        json_array_append_new(offers, json_pack("{s:i, s:i, s:{s:O}}", "number", k, "cores", 1,
                                                "spec", "do", json_object_get(spec, "task")));
    if (json_array_size(offers) > 0)
        say_json(json_pack("{s:s, s:o}", "type", "tasks", "tasks", offers));
    while (done_count < wanted && (line = next_line()) != NULL) {
        int number = (int)json_integer_value(json_object_get(line, "number"));
        if (strcmp(word(line, "type"), "drain") == 0) {
            say("{\"type\":\"released\"}");
            exit(0);
        }
        if (strcmp(word(line, "type"), "cancel") == 0) {
            say("{\"type\":\"done\",\"result\":{\"answer\":1},\"cancelled\":true}");
            exit(0);
        }
        if (strcmp(word(line, "state"), "failed") == 0) {
            say_json(json_pack("{s:s, s:O, s:O, s:O}", "type", "failed", "code",
                               json_object_get(line, "code"), "detail",
                               json_object_get(line, "detail"), "retryable",
                               json_object_get(line, "retryable")));
            exit(0);
        }
        if (drops && strcmp(word(line, "state"), "running") == 0) {
            say_json(json_pack("{s:s, s:i}", "type", "dropped", "through", wanted));
            drops = false;
        }
        if (refuses && strcmp(word(line, "state"), "done") == 0 && !is_refused[number]) {
            is_refused[number] = true;
            say_json(json_pack("{s:s, s:i, s:s}", "type", "refused", "number", number, "detail",
                               "I want another one"));
        } else if (strcmp(word(line, "state"), "done") == 0 && !is_done[number]) {
            is_done[number] = true;
            done_count++;
        }
        while (merged < wanted && is_done[merged + 1])
            say_json(json_pack("{s:s, s:i}", "type", "merged", "through", ++merged));
        if (dies && merged > 0)
            raise(SIGKILL);
        json_decref(line);
        if (strcmp(how, "lead and stop") == 0 && merged > 0)
            break;
    }
    say_json(
        json_pack("{s:s, s:{s:i, s:i}}", "type", "done", "result", "answer", 42, "merged", merged));
}

static void do_job(json_t *job)
{
    json_t *spec = json_object_get(job, "spec"),
           *run = json_array_get(json_object_get(job, "runs"), 0);
    json_t *task = json_object_get(job, "task");
    const char *how = word(task ? json_object_get(task, "spec") : spec, "do");

    fprintf(stderr, "told to %s\n", how);
    if (strcmp(how, "be silent") == 0)
        hang();
    if (strcmp(how, "begin late") == 0)
        sleep(LATE_S);
    hello();
    if (misbehave(job, how))
        json_decref(next_line()); /* the daemon's side ends, or this process */
    else if (strcmp(how, "fail") == 0)
        say("{\"type\":\"failed\",\"code\":\"bad-spec\",\"detail\":\"no\",\"retryable\":false}");
    else if (strncmp(how, "lead", 4) == 0)
        lead(job, how);
    else if (strcmp(how, "give back") == 0)
        say("{\"type\":\"released\"}");
    else if (strcmp(how, "make a file") == 0)
        make_file(job);
    else if (strcmp(how, "flood") == 0)
        flood(run);
    else if (strncmp(how, "obey", 4) == 0)
        obey(strcmp(how, "obey and stay") == 0);
    else if (strcmp(how, "learn") == 0)
        learn(job);
    else
        done();
}

int main(int argc, char **argv)
{
    bool is_worker = strstr(argv[0], "rink-evaluate") || strstr(argv[0], "rink-learn") ||
                     strstr(argv[0], "rink-compete");
    json_t *line;

    (void)argc;
    from = is_worker ? fdopen(3, "r") : stdin;
    to = is_worker ? fdopen(dup(3), "w") : stdout;
    if (is_worker) {
        line = next_line();
        do_job(line);
        json_decref(line);
        return 0;
    }
    setvbuf(stdin, NULL, _IONBF, 0); /* think() polls the descriptor */
    while ((line = next_line()) != NULL) {
        answer_question(line);
        json_decref(line);
    }
    return 0;
}
