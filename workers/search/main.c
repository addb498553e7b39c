/* rink-search: reads a shot query and writes the best shot; with --stdio for any number of
 * queries. */
#include "api/clock.h"
#include "api/output.h"
#include "workers/search/alarm.h"
#include "workers/search/dialog.h"
#include "workers/search/options.h"
#include "workers/search/query.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_GOOD = 0, EXIT_TROUBLE = 1, EXIT_BAD_QUERY = 2 };

static void complain(const char *about, const char *why)
{
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, about, why);
}

/* A closed pipe, as in "rink-search | head", needs no message. */
static int complain_about_output(int error)
{
    if (error != EPIPE)
        complain("standard output", strerror(error));
    return EXIT_TROUBLE;
}

/* ---- --list-players ---- */

static void list_setting(const struct player_setting *setting)
{
    printf("  %s: %s\n    ", setting->name, setting->about);
    switch (setting->kind) {
    case SETTING_BOOL:
        printf("true or false (%s)\n", setting->initial != 0.0 ? "true" : "false");
        break;
    case SETTING_CHOICE:
        for (int k = 0; setting->choices[k]; k++)
            printf("%s%s", k ? ", " : "", setting->choices[k]);
        printf(" (%s)\n", setting->choices[(int)setting->initial]);
        break;
    case SETTING_NUMBER:
    case SETTING_WHOLE:
        printf("%snumber, %.15g to %.15g (%.15g)\n", setting->kind == SETTING_WHOLE ? "whole " : "",
               setting->least, setting->most, setting->initial);
        break;
    case SETTING_MODEL:
        printf("a model: the SHA-256 of its file or a path%s\n",
               setting->least > 0.0 ? "; has to be given" : "");
        break;
    }
}

static int list_players_json(void)
{
    struct player_kind kinds[PLAYER_KINDS_MAX];

    player_kinds(kinds);
    json_t *list = player_kinds_json(kinds);
    if (!list) {
        complain("list", "out of memory");
        return EXIT_TROUBLE;
    }
    bool good = json_dumpf(list, stdout, JSON_COMPACT | JSON_REAL_PRECISION(15)) == 0 &&
                putchar('\n') != EOF;
    json_decref(list);
    return good ? EXIT_GOOD : complain_about_output(errno);
}

static void list_players(void)
{
    const struct player_class *class;

    for (int k = 0; (class = player_class_at(k)) != NULL; k++) {
        printf("%s%s: %s\n", k ? "\n" : "", class->name, class->about);
        for (const struct player_setting *setting = class->settings; setting && setting->name;
             setting++)
            list_setting(setting);
    }
}

/* ---- one query ---- */

static bool write_line(void *context, const char *line)
{
    (void)context;
    return puts(line) != EOF && fflush(stdout) != EOF;
}

/* Reads the input, up to one byte more than a query may have. False with errno set when reading
 * fails. */
static bool read_all(int fd, char *text, size_t *ret_length)
{
    size_t length = 0;

    while (length < SHOT_QUERY_BYTES_MAX + 1) {
        ssize_t got = read(fd, text + length, SHOT_QUERY_BYTES_MAX + 1 - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (got == 0)
            break;
        length += (size_t)got;
    }
    *ret_length = length;
    return true;
}

static int answer_one(const struct query_host *host, int fd, const char *name)
{
    char *text = malloc(SHOT_QUERY_BYTES_MAX + 1);
    struct query *query = malloc(sizeof *query);
    struct query_stop stop = {0};
    const char *message = NULL;
    int result = EXIT_TROUBLE;
    size_t length;

    if (!text || !query) {
        complain("start", "out of memory");
    } else if (!read_all(fd, text, &length)) {
        complain(name, strerror(errno));
    } else {
        double arrived_s = clock_now_s();
        query_read(host, text, length, query);
        enum query_status status =
            query_answer(host, query, clock_now_s() - arrived_s, &stop, write_line, NULL, &message);
        if (status == QUERY_FAILED && message)
            complain("query", message);
        else if (status == QUERY_FAILED)
            complain_about_output(errno);
        else
            result = status == QUERY_BAD ? EXIT_BAD_QUERY : EXIT_GOOD;
    }
    free(query);
    free(text);
    return result;
}

/* ---- many queries ---- */

static int answer_lines(const struct query_host *host, int fd, const char *name)
{
    const char *message = NULL;

    switch (dialog_run(host, fd, stdout, &message)) {
    case DIALOG_OK:
        return EXIT_GOOD;
    case DIALOG_BAD_LINES:
        return EXIT_BAD_QUERY;
    case DIALOG_READ_FAILED:
        complain(name, strerror(errno));
        break;
    case DIALOG_WRITE_FAILED:
        complain_about_output(errno);
        break;
    case DIALOG_FAILED:
        complain("query", message);
        break;
    }
    return EXIT_TROUBLE;
}

int main(int argc, char **argv)
{
    output_check_at_exit();
    const struct options options = options_read(argc, argv);
    const struct query_host host = {
        .read_player = player_read,
        .default_player = options.player,
        .threads = options.threads,
        .report_interval_s = 0.001 * options.report_interval_ms,
    };
    const char *name = options.file ? options.file : "standard input";
    int fd = STDIN_FILENO;

    /* A closed pipe is an error of write(), not the end of the process. */
    signal(SIGPIPE, SIG_IGN);
    if (options.list_players && options.json)
        return list_players_json();
    if (options.list_players) {
        list_players();
        return EXIT_GOOD;
    }
    if (options.file && (fd = open(options.file, O_RDONLY | O_CLOEXEC)) < 0) {
        complain(name, strerror(errno));
        return EXIT_TROUBLE;
    }
    int status = options.stdio ? answer_lines(&host, fd, name) : answer_one(&host, fd, name);
    if (options.file)
        close(fd);
    return status;
}
