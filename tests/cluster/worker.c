/* Stands in for rink-evaluate and rink-learn where tests want many small tasks: a match of N pairs
 * is N tasks. Each writes a file that depends on the seed and its number alone; the lead appends
 * them in order to records.jsonl, and the result is the hash of that. A training has a task for
 * each run, which reports points, a checkpoint and a model that depend on the seed. `worker` leads
 * or does a task, as the job line says; `golden` prints numbers.
 *
 * With "ends": 1 there are no files: for tests/bench/nodes, where only the service counts.
 *
 * In a folder of programs whose name has "liar" in it, tasks write something else; with "cutter"
 * half of it, which a lead notices; with "slow" they take longer. A "thief" reports of the first
 * run of the job, whatever its own. RINKD_TEST_GOLDEN replaces the golden number. */
#include "api/jobs/wire.h"

#include <fcntl.h>
#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RECORD = 64 /* bytes of a record */, TASK_MS = 20, SLOW_MS = 400, AHEAD_LEAST = 16 };

static FILE *from, *to;
static bool is_liar, is_cutter, is_slow, is_thief;

static void say(json_t *document)
{
    char *line = wire_line(document);

    flockfile(to);
    if (!line || fputs(line, to) < 0 || fflush(to) != 0)
        _exit(1);
    funlockfile(to);
    free(line);
}

/* A thread of its own: a lead may have nothing else to say for long. */
static void *beat(void *context)
{
    const struct timespec time = {.tv_nsec = WIRE_BEAT_MS / 2 * 1000000L};

    (void)context;
    for (;;) {
        nanosleep(&time, NULL);
        say(json_pack("{s:s, s:n, s:n}", "type", "beat", "progress", "eta_s"));
    }
    return NULL;
}

static json_t *hear(void)
{
    static char *line;
    static size_t room;

    return getline(&line, &room, from) > 0 ? json_loads(line, 0, NULL) : NULL;
}

static bool says(const json_t *line, const char *type)
{
    const char *own = json_string_value(json_object_get(line, "type"));

    return own && strcmp(own, type) == 0;
}

static void hash(const void *bytes, size_t size, char ret_hex[65])
{
    unsigned char sum[crypto_hash_sha256_BYTES];

    crypto_hash_sha256(sum, bytes, size);
    sodium_bin2hex(ret_hex, 65, sum, sizeof sum);
}

static void write_durably(const char *folder, const char *name, const char *bytes, size_t size)
{
    char path[4096], part[4200];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(part, sizeof part, "%s.part", path);
    int file = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size || fdatasync(file) != 0 ||
        rename(part, path) != 0)
        exit(1);
    close(file);
}

/* What task `number` finds: a line of RECORD bytes. */
static void find(int64_t seed, int64_t number, char ret_record[RECORD + 1])
{
    char text[64], hex[65];

    snprintf(text, sizeof text, "%s%lld %lld", is_liar ? "lie " : "", (long long)seed,
             (long long)number);
    hash(text, strlen(text), hex);
    snprintf(ret_record, RECORD + 1, "{\"pair\":%6lld,\"hash\":\"%.38s\"}\n", (long long)number,
             hex);
}

/* ---- a task of a training ---- */

/* Writes a file of the run; its name without the run, and its bytes. */
static void write_of_run(const char *folder, const char *run, const char *end, const void *bytes,
                         size_t size, char ret_name[128], char ret_hex[65])
{
    snprintf(ret_name, 128, "%s%s", run, end);
    write_durably(folder, ret_name, bytes, size);
    hash(bytes, size, ret_hex);
}

/* A safetensors file of one number. */
static size_t make_weights(float weight, char ret_bytes[256])
{
    static const char header[] = "{\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}";
    const uint64_t length = sizeof header - 1;

    memcpy(ret_bytes, &length, sizeof length);
    memcpy(ret_bytes + 8, header, sizeof header - 1);
    memcpy(ret_bytes + 8 + sizeof header - 1, &weight, sizeof weight);
    return 8 + sizeof header - 1 + sizeof weight;
}

static int do_run(const json_t *job, const json_t *task)
{
    const char *folder = json_string_value(json_object_get(job, "folder"));
    const json_t *spec = json_object_get(task, "spec"), *runs = json_object_get(job, "runs");
    const char *own = json_string_value(json_object_get(spec, "run"));
    const char *run = is_thief ? json_string_value(json_array_get(runs, 0)) : own;
    const int seed = (int)json_integer_value(json_object_get(spec, "seed"));
    char name[128], hex[65], bytes[256];

    for (int step = 1; step <= 2; step++) {
        say(json_pack("{s:s, s:[{s:s, s:s, s:i, s:f}, {s:s, s:s, s:i, s:f}]}", "type", "metrics",
                      "rows", "run", run, "name", "loss", "step", step, "value",
                      (double)(seed * step), "run", run, "name", "cpu_s", "step", step, "value",
                      (double)clock() / CLOCKS_PER_SEC));
        snprintf(bytes, sizeof bytes, "{\"seed\":%d,\"step\":%d,\"cpu_s\":%f}\n\x80 weights", seed,
                 step, (double)clock() / CLOCKS_PER_SEC);
        write_of_run(folder, run, step == 1 ? "-1.checkpoint" : "-2.checkpoint", bytes,
                     strlen(bytes), name, hex);
        say(json_pack("{s:s, s:s, s:s, s:s, s:i}", "type", "checkpoint", "run", run, "path", name,
                      "sha256", hex, "step", step));
    }
    const size_t size = make_weights((float)seed, bytes);
    write_of_run(folder, run, "-2.safetensors", bytes, size, name, hex);
    say(json_pack("{s:s, s:s, s:s, s:s, s:s, s:i}", "type", "model", "run", run, "name", "average",
                  "path", name, "sha256", hex, "step", 2));
    say(json_pack("{s:s, s:{s:[{s:s, s:i}]}}", "type", "done", "result", "runs", "run", own, "seed",
                  seed));
    return 0;
}

/* ---- a task of a match ---- */

static int do_task(const json_t *job, const json_t *task)
{
    const char *folder = json_string_value(json_object_get(job, "folder"));
    const json_t *spec = json_object_get(job, "spec");
    int64_t seed = json_integer_value(json_object_get(spec, "seed"));
    int64_t number = json_integer_value(json_object_get(task, "number"));
    const struct timespec time = {.tv_nsec = (is_slow ? SLOW_MS : TASK_MS) * 1000000L};
    char name[64], record[RECORD + 1], hex[65];

    say(json_pack("{s:s, s:f, s:n}", "type", "beat", "progress", 0.5, "eta_s"));
    nanosleep(&time, NULL);
    find(seed, number, record);
    const size_t size = is_cutter ? RECORD / 2 : RECORD;
    hash(record, size, hex);
    snprintf(name, sizeof name, "task-%lld.out", (long long)number);
    if (json_integer_value(json_object_get(spec, "ends")) != 1) {
        write_durably(folder, name, record, size);
        say(json_pack("{s:s, s:s, s:s}", "type", "output", "path", name, "sha256", hex));
    }
    say(json_pack("{s:s, s:{s:I, s:f}}", "type", "done", "result", "pair", (json_int_t)number,
                  "elapsed_s", (double)clock() / CLOCKS_PER_SEC));
    return 0;
}

/* ---- the lead ---- */

struct lead {
    const char *folder;
    int64_t seed, all, offered, merged, hands;
    bool has_files;
    bool *is_done; /* [all + 1] */
    char **path;   /* the same: of its file */
    int file;
};

static void offer(struct lead *lead)
{
    int64_t ahead = 2 * lead->hands > AHEAD_LEAST ? 2 * lead->hands : AHEAD_LEAST;
    json_t *tasks = json_array();

    if (ahead > WIRE_TASKS_OPEN / 2)
        ahead = WIRE_TASKS_OPEN / 2;
    while (lead->offered < lead->all && lead->offered - lead->merged < ahead &&
           json_array_size(tasks) < WIRE_TASKS_MAX) {
        json_int_t number = ++lead->offered;
        json_array_append_new(tasks, json_pack("{s:I, s:i, s:{s:I}}", "number", number, "cores", 1,
                                               "spec", "pair", number));
    }
    if (json_array_size(tasks) > 0)
        say(json_pack("{s:s, s:o}", "type", "tasks", "tasks", tasks));
    else
        json_decref(tasks);
}

/* Appends what is done, in order. */
static void merge(struct lead *lead)
{
    int64_t before = lead->merged;

    while (lead->merged < lead->all && lead->is_done[lead->merged + 1]) {
        char path[4200], record[RECORD];
        if (!lead->has_files) {
            lead->merged++;
            continue;
        }
        snprintf(path, sizeof path, "%s/%s", lead->folder, lead->path[lead->merged + 1]);
        int file = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t got = file >= 0 ? read(file, record, RECORD) : -1;
        if (file >= 0)
            close(file);
        if (got != RECORD) {
            lead->is_done[lead->merged + 1] = false;
            say(json_pack("{s:s, s:I, s:s}", "type", "refused", "number",
                          (json_int_t)lead->merged + 1, "detail", "its record is cut"));
            break;
        }
        if (pwrite(lead->file, record, RECORD, RECORD * lead->merged) != RECORD)
            exit(1);
        lead->merged++;
    }
    if (lead->merged == before)
        return;
    if (lead->has_files && fdatasync(lead->file) != 0)
        exit(1);
    say(json_pack("{s:s, s:I}", "type", "merged", "through", (json_int_t)lead->merged));
    say(json_pack("{s:s, s:f, s:n}", "type", "beat", "progress",
                  (double)lead->merged / (double)lead->all, "eta_s"));
}

static int finish(struct lead *lead, bool cancelled)
{
    size_t size = lead->has_files ? (size_t)(RECORD * lead->merged) : 0;
    char *all = malloc(size + 1), hex[65];

    if (!all || pread(lead->file, all, size, 0) != (ssize_t)size)
        exit(1);
    hash(all, size, hex);
    free(all);
    say(json_pack(
        "{s:s, s:{s:s, s:I, s:s, s:i, s:I, s:s, s:[I, i, i, i, i], s:{s:s}, s:{s:s}}, s:b}", "type",
        "done", "result", "hash", hex, "pairs", (json_int_t)lead->merged, "profile", "dc2", "ends",
        2, "seed", (json_int_t)lead->seed, "noise", "uniform", "pentanomial",
        (json_int_t)lead->merged, 0, 0, 0, 0, "a", "player", "random", "b", "player", "random",
        "cancelled", cancelled));
    return 0;
}

static void take_done(struct lead *lead, const json_t *line)
{
    const json_int_t number = json_integer_value(json_object_get(line, "number"));
    const char *path = json_string_value(json_object_get(line, "path"));

    free(lead->path[number]);
    lead->path[number] = strdup(path ? path : "");
    lead->is_done[number] = true;
}

static int lead_job(const json_t *job, const json_t *tasks)
{
    const json_t *spec = json_object_get(job, "spec"), *open_task;
    char path[4200];
    size_t k;
    struct lead lead = {.folder = json_string_value(json_object_get(job, "folder")),
                        .hands = json_integer_value(json_object_get(tasks, "hands")),
                        .has_files = json_integer_value(json_object_get(spec, "ends")) != 1,
                        .seed = json_integer_value(json_object_get(spec, "seed")),
                        .all = json_integer_value(json_object_get(spec, "pairs")),
                        .merged = json_integer_value(json_object_get(tasks, "merged"))};

    lead.offered = lead.merged;
    json_array_foreach(json_object_get(tasks, "open"), k, open_task) lead.offered++;
    lead.is_done = calloc((size_t)lead.all + 2, sizeof *lead.is_done);
    lead.path = calloc((size_t)lead.all + 2, sizeof *lead.path);
    snprintf(path, sizeof path, "%s/records.jsonl", lead.folder);
    lead.file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (!lead.is_done || !lead.path || lead.file < 0 ||
        ftruncate(lead.file, RECORD * lead.merged) != 0)
        return 1;
    for (;;) {
        merge(&lead);
        if (lead.merged == lead.all)
            return finish(&lead, false);
        offer(&lead); /* after merging, which makes room */
        json_t *line = hear();
        const char *state = json_string_value(json_object_get(line, "state"));
        if (!line)
            return 1;
        if (says(line, "cancel"))
            return finish(&lead, true);
        if (says(line, "drain")) {
            say(json_pack("{s:s}", "type", "released"));
            return 0;
        }
        if (says(line, "hands"))
            lead.hands = json_integer_value(json_object_get(line, "count"));
        if (says(line, "task") && state && strcmp(state, "done") == 0)
            take_done(&lead, line);
        if (says(line, "task") && state && strcmp(state, "failed") == 0) {
            say(json_pack("{s:s, s:O, s:O, s:b}", "type", "failed", "code",
                          json_object_get(line, "code"), "detail", json_object_get(line, "detail"),
                          "retryable", 0));
            return 0;
        }
        json_decref(line);
    }
}

/* ---- the lead of a training ---- */

static void offer_runs(const json_t *job)
{
    const json_t *seeds = json_object_get(json_object_get(job, "spec"), "seeds");
    json_t *tasks = json_array(), *run;
    size_t k;

    json_array_foreach(json_object_get(job, "runs"), k, run)
    {
        json_array_append_new(tasks, json_pack("{s:I, s:i, s:{s:I, s:i, s:O, s:O}}", "number",
                                               (json_int_t)k + 1, "cores", 1, "spec", "from",
                                               (json_int_t)k, "count", 1, "run", run, "seed",
                                               json_array_get(seeds, k)));
    }
    say(json_pack("{s:s, s:o}", "type", "tasks", "tasks", tasks));
}

/* Its result has those of all runs, in order. */
static int lead_training(const json_t *job, const json_t *tasks)
{
    const size_t all = json_array_size(json_object_get(job, "runs"));
    json_t *found = json_object(), *results = json_array();
    char key[16];

    if (json_array_size(json_object_get(tasks, "open")) == 0)
        offer_runs(job);
    while (json_object_size(found) < all) {
        json_t *line = hear();
        const char *state = json_string_value(json_object_get(line, "state"));
        if (!line)
            return 1;
        if (says(line, "drain")) {
            say(json_pack("{s:s}", "type", "released"));
            return 0;
        }
        snprintf(key, sizeof key, "%lld",
                 (long long)json_integer_value(json_object_get(line, "number")));
        if (says(line, "task") && state && strcmp(state, "done") == 0)
            json_object_set(found, key, json_object_get(line, "result"));
        json_decref(line);
    }
    for (size_t k = 1; k <= all; k++) {
        snprintf(key, sizeof key, "%zu", k);
        json_array_extend(results, json_object_get(json_object_get(found, key), "runs"));
    }
    say(json_pack("{s:s, s:{s:o}}", "type", "done", "result", "runs", results));
    json_decref(found);
    return 0;
}

static int work(void)
{
    from = fdopen(dup(WIRE_FD), "r");
    to = fdopen(WIRE_FD, "w");
    if (!from || !to)
        return 1;
    say(json_pack("{s:s, s:i, s:s, s:[s, s, s, s]}", "type", "hello", "protocol", WIRE_PROTOCOL,
                  "version", "0", "kinds", "match", "tournament", "rate", "train"));
    json_t *job = hear();
    pthread_t beats;
    if (pthread_create(&beats, NULL, beat, NULL) != 0)
        return 1;
    const json_t *task = json_object_get(job, "task"), *tasks = json_object_get(job, "tasks");
    const char *kind = json_string_value(json_object_get(job, "kind"));
    const bool trains = kind && strcmp(kind, "train") == 0;
    if (task)
        return trains ? do_run(job, task) : do_task(job, task);
    if (tasks && trains)
        return lead_training(job, tasks);
    if (tasks && kind && strcmp(kind, "match") == 0)
        return lead_job(job, tasks);
    say(json_pack("{s:s, s:s, s:s, s:b}", "type", "failed", "code", "not-here", "detail",
                  "only matches are played here", "retryable", 0));
    return 0;
}

int main(int argc, char **argv)
{
    const char *number = getenv("RINKD_TEST_GOLDEN");

    if (sodium_init() < 0 || argc < 2)
        return 1;
    is_liar = strstr(argv[0], "liar") != NULL;
    is_cutter = strstr(argv[0], "cutter") != NULL;
    is_slow = strstr(argv[0], "slow") != NULL;
    is_thief = strstr(argv[0], "thief") != NULL;
    if (strcmp(argv[1], "golden") == 0) {
        printf("{\"version\":\"0\",\"golden\":{\"throws/dc2\":\"%s\"}}\n",
               number ? number : "0123456789abcdef");
        return 0;
    }
    return strcmp(argv[1], "worker") == 0 ? work() : 1;
}
