/* rinkctl status, backup, backups, retention. */
#include "service/rinkctl/page.h"

#include <string.h>

enum { RETENTION_WAIT_S = 60 };

static const struct column worker_columns[] = {
    {"process", "pid", NULL, true},
    {"kind", "kind", NULL, false},
    {"job", "job", NULL, true},
    {"task", "task", NULL, true},
    {"since (UTC)", "since", print_time, false},
    {"last heard of", "beat_s", print_duration, true},
    {0},
};

/* Keeps the first event of the stream of all jobs: the count of jobs in each state. */
static bool keep_counts(void *context, const char *name, const json_t *data)
{
    json_t *counts = context;

    if (strcmp(name, "reset") == 0)
        json_object_update(counts, (json_t *)(size_t)data);
    return false;
}

/* Pilots in Slurm's queue; nothing without Slurm. */
static void print_slurm(const json_t *slurm)
{
    const char *reason = text_of(slurm, "reason"), *error = text_of(slurm, "error");

    if (!json_is_object(slurm))
        return;
    printf("slurm    %.0f pilots run, %.0f wait", number_of(slurm, "running"),
           number_of(slurm, "pending"));
    if (*reason) {
        fputs(": ", stdout);
        print_text(stdout, reason, false);
    }
    if (*error) {
        fputs("; it fails: ", stdout);
        print_text(stdout, error, false);
    }
    putchar('\n');
}

static void print_status(const struct client *client, const json_t *status)
{
    const json_t *workers = json_object_get(status, "workers"), *count;
    const char *state, *separator = "";

    printf("server   %s\nversion  ", client_server(client));
    print_text(stdout, text_of(status, "version.version"), false);
    printf(", schema %.0f of the database\n", number_of(status, "version.schema"));
    fputs("ready    ", stdout);
    if (json_is_true(json_object_get(status, "ready"))) {
        fputs("yes\n", stdout);
    } else {
        fputs("no: ", stdout);
        print_text(stdout, text_of(status, "reason"), false);
        putchar('\n');
    }
    fputs("jobs     ", stdout);
    json_object_foreach(json_object_get(status, "jobs"), state, count)
    {
        printf("%s%lld ", separator, (long long)json_integer_value(count));
        print_text(stdout, state, false);
        separator = ", ";
    }
    putchar('\n');
    print_slurm(json_object_get(status, "slurm"));
    if (!json_is_array(workers)) {
        puts("workers  (only a token with the scope admin sees them)");
    } else if (json_array_size(workers) == 0) {
        puts("workers  none at work");
    } else {
        printf("workers  %zu at work\n\n", json_array_size(workers));
        print_table(stdout, worker_columns, workers);
    }
}

/* Adds the workers, unless the caller may not see them. */
static enum exit_status add_workers(struct client *client, json_t *status)
{
    const struct client_call call = {.path = "/v1/workers", .quiet = true};
    struct client_answer answer;
    enum exit_status one = client_call(client, &call, &answer);

    json_object_set(status, "workers", json_object_get(answer.json, "items"));
    if (one == EXIT_REFUSED && (answer.status == 401 || answer.status == 403))
        one = EXIT_GOOD;
    else if (one == EXIT_REFUSED)
        client_complain(client, &answer);
    client_answer_free(&answer);
    return one;
}

static enum exit_status run(const struct line *line)
{
    const struct client_call version_call = {.path = "/v1/version"};
    const struct client_call ready_call = {.path = "/readyz", .quiet = true};
    const struct client_call placement_call = {.path = "/v1/placement", .quiet = true};
    const struct client_call events_call = {.path = "/v1/events"};
    struct client *client = line->client;
    struct client_answer version, ready, placement;
    json_t *status = json_object(), *counts = json_object();

    enum exit_status exit_status = client_call(client, &version_call, &version);
    if (exit_status == EXIT_GOOD) {
        json_object_set(status, "version", version.json);
        bool is_ready = client_call(client, &ready_call, &ready) == EXIT_GOOD;
        const char *detail = text_of(ready.json, "detail");
        json_object_set_new(status, "ready", json_boolean(is_ready));
        if (!is_ready)
            json_object_set_new(status, "reason",
                                json_string(*detail ? detail : text_of(ready.json, "title")));
        client_answer_free(&ready);
        client_listen(client, &events_call, keep_counts, counts);
        json_object_set(status, "jobs", counts);
        if (client_call(client, &placement_call, &placement) == EXIT_GOOD)
            json_object_set(status, "slurm", json_object_get(placement.json, "slurm"));
        client_answer_free(&placement);
        exit_status = add_workers(client, status);
        if (exit_status == EXIT_GOOD && option_given(line, "json"))
            exit_status = print_json(line->name, status);
        else if (exit_status == EXIT_GOOD)
            print_status(client, status);
        if (exit_status == EXIT_GOOD && !is_ready)
            exit_status = EXIT_REFUSED;
    }
    client_answer_free(&version);
    json_decref(counts);
    json_decref(status);
    return exit_status;
}

static const struct column caller_columns[] = {
    {"caller", "name", NULL, false},
    {"may", "scopes", print_list, false},
    {"expires (UTC)", "expires_at", print_time, false},
    {"waiting", "waiting", NULL, true},
    {"at most", "limits.jobs", NULL, true},
    {"their specs", "bytes", print_bytes, true},
    {"at most", "limits.bytes", print_bytes, true},
    {"running", "running", NULL, true},
    {"cores", "cores", NULL, true},
    {"at most", "limits.cores", NULL, true},
    {"refused", "refused", NULL, true},
    {0},
};

static const struct column backup_fields[] = {
    {"file", "name", NULL, false},
    {"size", "bytes", print_bytes, false},
    {0},
};

/* ---- retention ---- */

static const struct column retention_columns[] = {
    {"kind", "kind", NULL, false},
    {"number", "count", NULL, true},
    {"size", "bytes", print_bytes, true},
    {"which", "ids", print_list, false},
    {0},
};

static void print_stays(const json_t *goes)
{
    const json_t *list, *stay;
    size_t k, n;

    json_array_foreach(goes, k, list)
    {
        json_array_foreach(json_object_get(list, "stays"), n, stay)
        {
            printf("%lld %s stay: ", (long long)json_integer_value(json_object_get(stay, "count")),
                   text_of(list, "kind"));
            print_text(stdout, text_of(stay, "reason"), false);
            putchar('\n');
        }
    }
}

/* A dry run, or what has been removed. */
static void show_retention(const struct line *line, const struct client_answer *answer)
{
    const json_t *goes = json_object_get(answer->json, "goes");

    (void)line;
    if (goes) {
        puts("these would go now (rinkctl retention --run):");
        print_table(stdout, retention_columns, goes);
        print_stays(goes);
    } else if (json_is_true(json_object_get(answer->json, "running"))) {
        puts("it goes on; rinkctl retention says what is left");
    } else {
        puts("these are gone:");
        print_table(stdout, retention_columns, member_of(answer->json, "last.gone"));
    }
}

static enum exit_status run_retention(const struct line *line)
{
    struct client_call call = page_call(line);

    if (option_given(line, "run")) {
        call.method = "POST";
        call.wait_s = RETENTION_WAIT_S;
        call.most_s = 2.0 * RETENTION_WAIT_S;
    }
    return page_show(line, &call);
}

static const struct option_row retention_options[] = {
    {"run", NULL, "remove it now", .type = OPTION_TEXT},
    {0},
};

static const struct column backups_columns[] = {
    {"file", "name", NULL, false},
    {"size", "bytes", print_bytes, true},
    {"made (UTC)", "at", print_time, false},
    {0},
};

static void show_backups(const struct line *line, const struct client_answer *answer)
{
    const json_t *every = json_object_get(answer->json, "every_h");

    (void)line;
    print_table(stdout, backups_columns, json_object_get(answer->json, "items"));
    if (json_integer_value(every) > 0)
        printf("one is made every %lld h, the next at %s\n", (long long)json_integer_value(every),
               text_of(answer->json, "next_at"));
    if (json_is_object(json_object_get(answer->json, "failure")))
        printf("the last one failed at %s: %s\n", text_of(answer->json, "failure.at"),
               text_of(answer->json, "failure.error"));
}

static const struct column whoami_fields[] = {
    {"name", "name", NULL, false},
    {"may", "scopes", print_list, false},
    {0},
};

/* ---- the commands ---- */

const struct command service_commands[] = {
    {"status",
     "Show the state of the service, its jobs and its workers."
     "\vExit status: 0 ready, 2 not ready or refused, 3 no connection.",
     NO_WORD, .run = run},
    {"whoami", "Show the name and the scopes of the token in use.", NO_WORD, page_run,
     .path = "/v1/caller", .columns = whoami_fields},
    {"callers",
     "Show the callers, their limits and what they have queued."
     "\v\"refused\" counts the answers 429 since the start of the service.",
     NO_WORD, list_run, .path = "/v1/callers", .columns = caller_columns},
    {"backup", "Copy the database into the folder backups of its data.", NO_WORD, page_run,
     .method = "POST", .path = "/v1/backup", .most_s = 3600.0, .columns = backup_fields},
    {"backups", "List the backups, and say when the next one is made.", NO_WORD, page_run,
     .path = "/v1/backup", .show = show_backups},
    {"retention",
     "Show what goes by the rules of retention, or remove it."
     "\vThe rules are the daemon's settings --keep-jobs, --keep-replays and --keep-backups.",
     NO_WORD, run_retention, .options = retention_options, .path = "/v1/retention",
     .show = show_retention},
    {0},
};
