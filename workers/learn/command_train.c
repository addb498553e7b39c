/* rink-learn train: runs a training without the daemon. */
#include "api/base/print.h"
#include "workers/learn/command.h"
#include "workers/learn/training/train_file.h"
#include "workers/learn/training/train_journal.h"
#include "workers/learn/training/training.h"
#include "workers/options.h"
#include "workers/progress.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ORIGIN_NAME "from.json"

enum { PROGRESS_PARTS = 1000 };

struct options {
    const char *spec, *folder, *from;
    bool resume, json;
};

static const char about[] =
    "Run the training of SPEC: a JSON file with the body of POST /v1/jobs or only its \"spec\" "
    "('-': standard input)."
    "\vThe folder gets spec.json (all fields), metrics.jsonl (all points of all curves), "
    "checkpoints and policies. An interrupted training saves its state; --resume continues it and "
    "gives the same result as without the interruption.";

#define AT(field) offsetof(struct options, field)

static const struct option_row rows[] = {
    {"folder", 'f', "DIR", OPTION_TEXT, AT(folder),
     .about = "folder for all files (required; created if missing)"},
    {"resume", 'r', NULL, OPTION_FLAG, AT(resume), .about = "continue the training in the folder"},
    {"from", 'F', "FILE", OPTION_TEXT, AT(from),
     .about = "start from a checkpoint of another training"},
    {"json", 'J', NULL, OPTION_FLAG, AT(json), .about = "write the result as JSON"},
    {0},
};

static void take_spec(struct argp_state *state, const char *text, void *context)
{
    const char **spec = context;

    if (*spec)
        argp_error(state, "only one SPEC, not also '%s'", text);
    *spec = text;
}

static void finish(struct argp_state *state, void *target)
{
    const struct options *options = target;

    if (!options->spec)
        argp_error(state, "SPEC is missing");
    if (!options->folder)
        argp_error(state, "--folder is missing");
}

/* ---- while it learns ---- */

struct display {
    const char *command;
    const struct train_plan *plan;
    struct progress bar;
    bool begun;
    char judged[64]; /* the latest win rate */
};

static void show_progress(void *context, const struct training_progress *progress)
{
    struct display *display = context;
    char note[160];

    snprintf(note, sizeof note, "seed %llu, %lld ends, %.0f ends/s%s",
             (unsigned long long)display->plan->seed[progress->run], (long long)progress->ends,
             isfinite(progress->ends_per_s) ? progress->ends_per_s : 0.0, display->judged);
    progress_update(&display->bar, (int64_t)(progress->share * PROGRESS_PARTS), !display->begun,
                    note);
    display->begun = true;
}

static void take_line(void *context, const json_t *line)
{
    struct display *display = context;
    const char *name;
    json_t *value;

    json_object_foreach(json_object_get(line, "points"), name, value)
    {
        if (strncmp(name, "win_rate/", strlen("win_rate/")) == 0)
            snprintf(display->judged, sizeof display->judged, ", %.1f %% vs %.32s",
                     json_number_value(value), name + strlen("win_rate/"));
    }
}

static void warn(void *context, const char *text)
{
    struct display *display = context;

    progress_end(&display->bar);
    fprintf(stderr, "%s: %s\n", display->command, text);
}

/* ---- the result ---- */

/* Prints "NAME/X  value  (low … high)" for all X judged under the name. */
static void print_judged(const json_t *judged, const char *kind, const char *unit)
{
    const char *name;
    json_t *value;
    size_t length = strlen(kind);

    json_object_foreach((json_t *)judged, name, value)
    {
        char low[160], high[160];
        if (strncmp(name, kind, length) != 0 || name[length] != '/')
            continue;
        snprintf(low, sizeof low, "%s_low%s", kind, name + length);
        snprintf(high, sizeof high, "%s_high%s", kind, name + length);
        printf("  %-15s %-24s %8.3f%s  (%.3f to %.3f)\n", kind, name + length + 1,
               json_number_value(value), unit, json_number_value(json_object_get(judged, low)),
               json_number_value(json_object_get(judged, high)));
    }
}

/* Prints a value that has no interval, if it is there. */
static void print_value(const json_t *judged, const char *name, const char *unit)
{
    const json_t *value = json_object_get(judged, name);

    if (value)
        printf("  %-15s %.3f%s\n", name, json_number_value(value), unit);
}

static void show_result(const json_t *result)
{
    const json_t *run, *model;
    size_t k, j;

    printf("%s", text_of(result, "algorithm"));
    if (json_object_get(result, "reward"))
        printf(", reward %s", text_of(result, "reward"));
    printf(", profile %s\n", text_of(result, "profile"));
    json_array_foreach(json_object_get(result, "runs"), k, run)
    {
        printf("seed %.0f: %.0f ends, %.0f updates, %.1f s of processor time\n",
               number_of(run, "seed"), number_of(run, "ends"), number_of(run, "updates"),
               number_of(run, "cpu_s"));
        print_judged(json_object_get(run, "judged"), "win_rate", " %");
        print_judged(json_object_get(run, "judged"), "exploitability", "");
        print_value(json_object_get(run, "judged"), "fitness/champion", "");
        print_value(json_object_get(run, "judged"), "won/champion", " mbb/hand");
        printf("  weights         %s\n", text_of(run, "weights_sha256"));
        json_array_foreach(json_object_get(run, "models"), j, model)
        {
            printf("  %-15s %s\n", text_of(model, "name"), text_of(model, "path"));
        }
    }
}

/* ---- from options to a training ---- */

static void complain(const char *command, const char *what, const char *why)
{
    fprintf(stderr, "%s: %s: %s\n", command, what, why);
}

static bool has_begun(const char *folder)
{
    char path[TRAIN_PATH_MAX];
    struct stat about_file;

    snprintf(path, sizeof path, "%s/" TRAIN_JOURNAL_NAME, folder);
    return stat(path, &about_file) == 0 && about_file.st_size > 0;
}

/* Creates the folder if it is missing, and opens its journal, which locks the folder until the
 * caller closes it. NULL, with a message printed: it cannot be written, or holds a training and
 * --resume is not given. */
static struct train_journal *open_folder(const char *command, const struct options *options)
{
    struct train_journal *journal = NULL;
    char error[TRAIN_ERROR_MAX];

    if (mkdir(options->folder, 0777) != 0 && errno != EEXIST) {
        complain(command, options->folder, strerror(errno));
    } else if (!(journal = train_journal_open(options->folder, TRAIN_JOURNAL_NAME, error))) {
        command_complain(command, error);
    } else if (!options->resume && has_begun(options->folder)) {
        complain(command, options->folder, "already holds a training; --resume continues it");
        train_journal_close(journal);
        journal = NULL;
    }
    return journal;
}

/* Whether the settings that affect learning are those the training began with. */
static bool is_same_training(const char *command, const char *folder, const struct train_plan *plan)
{
    char path[TRAIN_PATH_MAX];
    const char *key;
    json_t *value;
    bool same = true;

    snprintf(path, sizeof path, "%s/spec.json", folder);
    json_t *before = json_load_file(path, 0, NULL);
    json_object_foreach(plan->learning, key, value)
    {
        if (same && before && !json_equal(json_object_get(before, key), value)) {
            fprintf(stderr, "%s: /spec/%s: differs from the training in %s\n", command, key,
                    folder);
            same = false;
        }
    }
    json_decref(before);
    return same;
}

static bool write_json(const char *command, const char *folder, const char *name,
                       const json_t *value)
{
    char path[TRAIN_PATH_MAX], sha256[TRAIN_SHA256_MAX], error[TRAIN_ERROR_MAX] = "out of memory";
    char *text = json_dumps(value, JSON_INDENT(2));

    snprintf(path, sizeof path, "%s/%s", folder, name);
    bool good = text && train_file_write_bytes(path, text, strlen(text), sha256, error) == TRAIN_OK;
    if (!good)
        command_complain(command, error);
    free(text);
    return good;
}

/* Returns the checkpoint that --from names as {"path","sha256"}; the caller owns it. NULL, with a
 * message printed: it cannot be read. */
static json_t *read_origin(const char *command, const char *path)
{
    char sha256[TRAIN_SHA256_MAX], *whole = realpath(path, NULL);
    json_t *origin = NULL;

    if (whole && file_hash(whole, sha256))
        origin = json_pack("{s:s, s:s}", "path", whole, "sha256", sha256);
    if (!origin)
        complain(command, path, strerror(errno));
    free(whole);
    return origin;
}

/* Reads the checkpoint recorded in a file, in the form of read_origin(); the caller owns it.
 * Unchanged: none is recorded. False, with a message printed: the record cannot be read. */
static bool recall_origin(const char *command, const char *path, json_t **ret_origin)
{
    const char *from, *sha256;
    json_error_t why;

    if (access(path, F_OK) != 0 && errno == ENOENT)
        return true;
    json_t *origin = json_load_file(path, 0, &why);
    if (origin &&
        json_unpack_ex(origin, &why, 0, "{s:s, s:s}", "path", &from, "sha256", &sha256) == 0) {
        *ret_origin = origin;
        return true;
    }
    complain(command, path, why.text);
    json_decref(origin);
    return false;
}

/* Determines the checkpoint that the runs begin with, in the form of read_origin(); the caller owns
 * it. NULL: none. Records it in the folder, because a resumed training may still have seeds to
 * start. False, with a message printed: it cannot be read or recorded, or the training began with
 * another one. */
static bool settle_origin(const char *command, const struct options *options, bool begun,
                          json_t **ret_origin)
{
    char path[TRAIN_PATH_MAX];
    json_t *named = NULL, *kept = NULL;
    const char *trouble = NULL;

    snprintf(path, sizeof path, "%s/" ORIGIN_NAME, options->folder);
    bool good = (!options->from || (named = read_origin(command, options->from))) &&
                (!options->resume || recall_origin(command, path, &kept));
    if (good && named && kept &&
        !json_equal(json_object_get(kept, "sha256"), json_object_get(named, "sha256")))
        trouble = "its training began with another checkpoint";
    else if (good && named && !kept && begun)
        trouble = "no file says whether its training began with a checkpoint";
    if (trouble) {
        complain(command, options->folder, trouble);
        good = false;
    }
    if (good && named) /* even if already recorded: its file may have moved */
        good = write_json(command, options->folder, ORIGIN_NAME, named);
    else if (good && !options->resume && unlink(path) != 0 && errno != ENOENT) {
        /* The record of a training that never began. */
        complain(command, path, strerror(errno));
        good = false;
    }
    if (good)
        *ret_origin = json_incref(named ? named : kept);
    json_decref(named);
    json_decref(kept);
    return good;
}

static int train(const char *command, const struct options *options, const struct train_plan *plan,
                 struct train_journal *journal)
{
    static char names[TRAIN_SEEDS_MAX][32];
    struct display display = {.command = command, .plan = plan};
    struct training training = {
        .plan = plan, .folder = options->folder, .journal = journal, .is_alone = true};
    const struct training_sink sink = {.context = &display,
                                       .stop = &command_cancel,
                                       .say = take_line,
                                       .progress = show_progress,
                                       .warn = warn};
    char error[TRAIN_ERROR_MAX];
    json_t *result;

    for (int k = 0; k < plan->seeds; k++) {
        snprintf(names[k], sizeof names[k], "seed%llu", (unsigned long long)plan->seed[k]);
        training.run[k] = names[k];
    }
    display.bar = progress_start(PROGRESS_PARTS);
    enum train_status status = training_run(&training, &sink, &result, error);
    progress_end(&display.bar);
    if (status == TRAIN_STOPPED) {
        fprintf(stderr, "%s: interrupted; --resume continues from here\n", command);
        return EXIT_INTERRUPTED;
    }
    if (status != TRAIN_OK) {
        command_complain(command, error);
        return EXIT_TROUBLE;
    }
    if (options->json) {
        json_dumpf(result, stdout, JSON_INDENT(2));
        putchar('\n');
    } else {
        show_result(result);
    }
    json_decref(result);
    return EXIT_GOOD;
}

int command_train(int argc, char **argv)
{
    struct options options = {.spec = NULL};
    const struct option_parser parser = {.about = about,
                                         .tables = {{rows, &options, finish, NULL}},
                                         .arguments = "SPEC",
                                         .argument = take_spec,
                                         .context = &options.spec};
    struct train_plan plan;
    json_t *origin = NULL;
    int status = EXIT_TROUBLE;

    if (!options_parse(&parser, argc, argv) ||
        !train_plan_load(argv[0], strcmp(options.spec, "-") == 0 ? NULL : options.spec, &plan))
        return EXIT_TROUBLE;
    struct train_journal *journal = open_folder(argv[0], &options);
    if (journal && (!options.resume || is_same_training(argv[0], options.folder, &plan)) &&
        settle_origin(argv[0], &options, json_array_size(train_journal_lines(journal)) > 0,
                      &origin) &&
        write_json(argv[0], options.folder, "spec.json", plan.spec)) {
        plan.from_path = json_string_value(json_object_get(origin, "path"));
        plan.from_sha256 = json_string_value(json_object_get(origin, "sha256"));
        status = train(argv[0], &options, &plan, journal);
    }
    train_journal_close(journal);
    json_decref(origin);
    train_plan_free(&plan);
    return status;
}
