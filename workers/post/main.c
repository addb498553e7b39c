/* rink-post: sends the messages of webhooks for rinkd, which has no HTTP client of its own. Reads
 * requests and writes what became of them, one JSON object per line (api/jobs/webhook.h), in the
 * order in which they end. It signs nothing and knows no secret. */
#include "api/base/load_json.h"
#include "api/base/output.h"
#include "api/jobs/webhook.h"
#include "workers/lines.h"
#include "workers/options.h"
#include "workers/post/post.h"

#include <curl/curl.h>
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More requests at a time than rinkd sends. */
enum { LINES_MAX = 256 };

const char *argp_program_version = "rink-post " RINKD_VERSION;

static const char about[] =
    "Send messages of webhooks: read requests as JSON Lines from standard input and write what "
    "became of each, in the order in which they end. rinkd starts this program; the manual page "
    "rink-post(1) describes the lines.";

struct post_options {
    enum webhook_addresses rule;
};

static void read_rule(struct argp_state *state, const char *text, void *field)
{
    for (int k = 0; webhook_addresses_names[k]; k++)
        if (strcmp(text, webhook_addresses_names[k]) == 0) {
            *(enum webhook_addresses *)field = (enum webhook_addresses)k;
            return;
        }
    argp_error(state, "--addresses must be public, private or any, not '%s'", text);
}

static const struct option_row rows[] = {
    {"addresses", 'a', "WHICH", OPTION_READ, offsetof(struct post_options, rule), .read = read_rule,
     .about = "send only to public addresses (default), only to private ones, or to any"},
    {0},
};

/* Writes a line; steals the answer. */
static bool tell(json_t *answer)
{
    bool good = answer && json_dumpf(answer, stdout, JSON_COMPACT) == 0 && putchar('\n') != EOF &&
                fflush(stdout) == 0;

    json_decref(answer);
    return good;
}

/* Starts the requests of the lines that have come. */
static bool begin(struct post *post, const struct line *lines, int count)
{
    bool good = true;

    for (int k = 0; k < count && good; k++) {
        json_t *line =
            lines[k].too_long ? NULL : load_json(lines[k].text, lines[k].length, 0, NULL);
        if (!post_begin(post, line))
            good = tell(json_pack("{s:O?, s:i, s:s, s:i}", "id", json_object_get(line, "id"),
                                  "status", 0, "reason", "the request cannot be read or sent",
                                  "retry_after_s", 0));
        json_decref(line);
    }
    return good;
}

/* False: the output is gone or memory is short. */
static bool run(struct post *post, struct line_reader *reader)
{
    struct line lines[LINES_MAX];
    bool good = true;
    int count = 1;

    while (count > 0 && good) {
        json_t *answer;
        if (post_wait(post, reader->fd)) {
            count = lines_read(reader, lines, LINES_MAX);
            good = begin(post, lines, count);
        }
        while (good && (answer = post_ended(post, &good)) != NULL)
            good = tell(answer);
    }
    return good && count == 0;
}

int main(int argc, char **argv)
{
    struct post_options options = {.rule = WEBHOOK_PUBLIC};
    const struct option_parser parser = {.about = about, .tables = {{rows, &options, NULL, NULL}}};
    struct line_reader reader;

    output_check_at_exit();
    load_json_begin();
    if (!options_parse(&parser, argc, argv))
        return 1;
    signal(SIGPIPE, SIG_IGN);
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        errx(1, "libcurl cannot be set up");
    struct post *post = post_new(options.rule);
    if (!post || !lines_init(&reader, STDIN_FILENO, WEBHOOK_LINE_MAX))
        errx(1, "start: out of memory");
    bool good = run(post, &reader);
    lines_free(&reader);
    post_free(post);
    curl_global_cleanup();
    return good ? 0 : 1;
}
