/* rink-simulate: reads scenes and writes outcomes, one JSON object per line.
 *
 * Input comes in blocks of lines, and the answers of a block are made and written in rounds, so
 * memory is bounded for any length of the input and any number of samples. Within a round the
 * threads make answers in any order, and the main thread writes them in the order of the input. */
#include "api/output.h"
#include "workers/lines.h"
#include "workers/pool.h"
#include "workers/simulate/answer.h"
#include "workers/simulate/options.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static void complain(const char *about, const char *why)
{
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, about, why);
}

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
            complain("line", "out of memory");
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
static bool run_block(struct run *run, int lines)
{
    size_t round = run->options->interval_s > 0.0 ? ROUND_TRAJECTORIES : ROUND_ANSWERS;
    size_t count = 0;

    pool_run(run->pool, (size_t)lines, read_question, run);
    for (int k = 0; k < lines; k++) {
        const struct question *question = &run->question[k];
        int64_t samples = answer_count(run->options, question);
        for (int64_t sample = 0; sample < samples; sample++) {
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
                complain("standard output", strerror(errno));
            return EXIT_TROUBLE;
        }
    }
    if (lines < 0) {
        complain(name, strerror(errno));
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
    if (options.file && (fd = open(options.file, O_RDONLY | O_CLOEXEC)) < 0) {
        complain(options.file, strerror(errno));
        return EXIT_TROUBLE;
    }

    struct run *run = calloc(1, sizeof *run);
    struct pool *pool = pool_new(options.threads);
    struct line_reader reader = {0};
    int status = EXIT_TROUBLE;
    if (run && pool && lines_init(&reader, fd, SCENE_LINE_MAX)) {
        run->options = &options;
        run->pool = pool;
        status = run_input(run, &reader);
    } else {
        complain("start", "out of memory");
    }
    lines_free(&reader);
    pool_free(pool);
    free(run);
    if (options.file)
        close(fd);
    return status;
}
