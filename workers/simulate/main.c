/* rink-simulate: reads scenes and writes outcomes, one JSON object per line.
 *
 * Input comes in blocks of lines, and the answers of a block are made and written in rounds, so
 * memory is bounded for any length of the input and any number of samples. Within a round the
 * threads make answers in any order, and the main thread writes them in the order of the input. */
#include "api/base/output.h"
#include "models/tables/profiles.h"
#include "workers/lines.h"
#include "workers/options.h"
#include "workers/pool.h"
#include "workers/simulate/answer.h"

#include <assert.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    BLOCK_LINES = 256,
    ROUND_ANSWERS = 1024,
    /* The paths of all stones can take megabytes. */
    ROUND_TRAJECTORIES = 8
};

enum { EXIT_GOOD = 0, EXIT_TROUBLE = 1, EXIT_BAD_LINES = 2 };

struct answer {
    const struct question *question;
    int64_t sample;
    char *text; /* NULL: memory was short */
    bool is_error;
};

struct run {
    const struct options *options;
    struct pool *pool;
    struct line line[BLOCK_LINES];
    struct question question[BLOCK_LINES];
    struct answer answer[ROUND_ANSWERS];
    bool had_bad_lines;
};

/* ---- command line ---- */

const char *argp_program_version = "rink-simulate " RINKD_VERSION;

#define SAMPLES_MAX      1000000000
#define INTERVAL_LEAST_S 0.001
#define INTERVAL_MOST_S  1000.0

static const char about[] =
    "Throw curling stones: read scenes as JSON Lines from FILE (or standard input, also for -) and "
    "write where the stones come to rest, one line a throw, in the order of the input."
    "\vA scene is a line such as\n"
    "  {\"model\":\"dc3\",\"id\":1,\"n\":0,\"before\":[null, ... 16 entries],\n"
    "   \"shot\":{\"speed\":2.4,\"angle\":1.5,\"angular_velocity\":1.57}}\n"
    "A line with a mistake is answered by {\"id\",\"error\",\"line\"}.\n"
    "Exit status: 0 all lines answered, 1 wrong usage or trouble with a file, 2 some line had a "
    "mistake. The manual page rink-simulate(1) describes the formats.";

static void read_profile(struct argp_state *state, const char *name, void *field)
{
    const struct ice_profile *ice = ice_profile_find(name);

    char list[PROFILE_LIST_MAX];

    if (!ice)
        argp_error(state, "--profile must be one of %s, not '%s'", ice_profile_list(list), name);
    *(const struct ice_profile **)field = ice;
}

static void read_engine(struct argp_state *state, const char *name, void *field)
{
    const char *reason;
    throw_engine *engine = throw_engine_find(name, &reason);

    if (!engine)
        argp_error(state, "--engine=%s: %s", name, reason);
    *(throw_engine **)field = engine;
}

static void read_noise(struct argp_state *state, const char *text, void *field)
{
    *(enum ice_noise *)field = option_noise(state, text);
}

#define AT(field) offsetof(struct options, field)

static const struct option_row rows[] = {
    {"profile", 'p', "NAME", OPTION_READ, AT(ice), .read = read_profile,
     .about = "ice and rules: {ices} (default: the line's model)"},
    {"engine", 'e', "NAME", OPTION_READ, AT(engine), .read = read_engine,
     .about = "fast (default) or box2d, the slow reference"},
    {"noise", 'n', "KIND", OPTION_READ, AT(noise), .read = read_noise,
     .about = "error of the hand: {noises} (default: none)"},
    {"samples", 's', "N", OPTION_INT64, AT(samples), .least = 1, .most = SAMPLES_MAX,
     .about = "throw each scene N times, each with its own noise"},
    {"seed", 'S', "NUMBER", OPTION_UINT64, AT(seed), .most = UINT64_MAX,
     .about = "seed of the noise (default {default})"},
    {"threads", 'j', "N", OPTION_INT, AT(threads), .least = 1, .most = POOL_THREADS_MAX,
     .about = "default: one for each processor"},
    {"trajectory", 't', "DT", OPTION_NUMBER, AT(interval_s), .least_number = INTERVAL_LEAST_S,
     .most_number = INTERVAL_MOST_S,
     .about = "add the paths of the stones, a point every DT seconds"},
    {0},
};

/* Reads the command line. --help, --version and mistakes end the program (status 0, 0 and 1). The
 * strings belong to argv. */
static struct options options_read(int argc, char **argv)
{
    struct options options = {.engine = throw_fast, .threads = option_processors(POOL_THREADS_MAX)};
    const struct option_parser parser = {
        .about = about, .tables = {{rows, &options, NULL, NULL}}, .file = &options.file};

    if (!options_parse(&parser, argc, argv))
        exit(1);
    return options;
}

/* ---- answering ---- */

static void read_question(void *context, size_t index, int thread)
{
    struct run *run = context;
    (void)thread;
    question_read(run->options, &run->line[index], &run->question[index]);
}

static void make_answer(void *context, size_t index, int thread)
{
    struct run *run = context;
    struct answer *answer = &run->answer[index];
    (void)thread;
    answer->text = answer_text(run->options, answer->question, answer->sample, &answer->is_error);
}

/* Makes and writes the first `count` answers. */
static bool run_round(struct run *run, size_t count)
{
    bool good = true;

    assert(count <= ROUND_ANSWERS);
    pool_run(run->pool, count, make_answer, run);
    for (size_t k = 0; k < count; k++) {
        struct answer *answer = &run->answer[k];
        if (good && !answer->text) {
            warnx("line: out of memory");
            good = false;
        }
        if (good && (fputs(answer->text, stdout) == EOF || putchar('\n') == EOF))
            good = false; /* run_input() says why */
        run->had_bad_lines = run->had_bad_lines || answer->is_error;
        free(answer->text);
    }
    return good;
}

/* Answers the block's first `lines` lines. */
static bool answer_block(struct run *run, int lines)
{
    size_t round = run->options->interval_s > 0.0 ? ROUND_TRAJECTORIES : ROUND_ANSWERS;
    size_t count = 0;

    pool_run(run->pool, (size_t)lines, read_question, run);
    for (int k = 0; k < lines; k++) {
        const struct question *question = &run->question[k];
        int64_t wanted = question->is_good && !question->skill ? run->options->samples : 0;
        for (int64_t sample = 0; sample == 0 || sample < wanted; sample++) {
            run->answer[count++] = (struct answer){.question = question, .sample = sample};
            if (count == round) {
                if (!run_round(run, count))
                    return false;
                count = 0;
            }
        }
    }
    return run_round(run, count);
}

static bool run_block(struct run *run, int lines)
{
    bool good = answer_block(run, lines);

    for (int k = 0; k < lines; k++)
        question_clear(&run->question[k]);
    return good;
}

static int run_input(struct run *run, struct line_reader *reader)
{
    const char *name = run->options->file ? run->options->file : "standard input";
    int lines;

    while ((lines = lines_read(reader, run->line, BLOCK_LINES)) > 0) {
        errno = 0;
        /* Flush after each block, for callers that wait for an answer before the next question. */
        if (!run_block(run, lines) || fflush(stdout) == EOF) {
            /* A closed pipe, as in "rink-simulate | head", needs no message. */
            if (ferror(stdout) && errno != EPIPE)
                warn("standard output");
            return EXIT_TROUBLE;
        }
    }
    if (lines < 0) {
        warn("%s", name);
        return EXIT_TROUBLE;
    }
    return run->had_bad_lines ? EXIT_BAD_LINES : EXIT_GOOD;
}

int main(int argc, char **argv)
{
    output_check_at_exit();
    const struct options options = options_read(argc, argv);
    int fd = STDIN_FILENO;

    /* A closed pipe is an error of write(), not the end of the process. */
    signal(SIGPIPE, SIG_IGN);
    if (options.file && (fd = open(options.file, O_RDONLY | O_CLOEXEC)) < 0)
        err(EXIT_TROUBLE, "%s", options.file);

    struct run *run = calloc(1, sizeof *run);
    struct pool *pool = pool_new(options.threads);
    struct line_reader reader;
    if (!run || !pool || !lines_init(&reader, fd, SCENE_LINE_MAX))
        errx(EXIT_TROUBLE, "start: out of memory");
    run->options = &options;
    run->pool = pool;
    int status = run_input(run, &reader);
    lines_free(&reader);
    pool_free(pool);
    free(run);
    return status;
}
