/* rinkctl skills: called shots and what became of them in, the hand out. */
#include "service/rinkctl/page.h"
#include "service/rinkctl/position_file.h"

/* "all  stddev_speed  0.0077, 95 % between 0.0069 and 0.0086" */
static void print_intervals(const char *what, const json_t *intervals)
{
    json_t *interval;
    const char *name;

    json_object_foreach((json_t *)(size_t)intervals, name, interval)
    {
        print_text(stdout, what, false);
        fputs("  ", stdout);
        print_text(stdout, name, false);
        printf("  %.4g, 95 %% between %.4g and %.4g\n", number_of(interval, "value"),
               number_of(interval, "low"), number_of(interval, "high"));
    }
}

static void print_drift(const json_t *drift)
{
    json_t *found;
    const char *name;

    json_object_foreach((json_t *)(size_t)drift, name, found)
    {
        const json_t *path = json_object_get(found, "path");
        const json_t *first = json_array_get(path, 0);
        const json_t *last = json_array_get(path, json_array_size(path) - 1);
        fputs("drift  ", stdout);
        print_text(stdout, name, false);
        printf("  %s: %.4g to %.4g if it changes; evidence 10^%.1f\n",
               json_is_true(json_object_get(found, "is_supported")) ? "yes" : "not shown",
               number_of(first, "value"), number_of(last, "value"),
               number_of(found, "log10_evidence"));
    }
}

/* "  62.1 %  student, evidence 10^2.3: bad misses more often: Student's t" */
static void print_comparison(const json_t *hands)
{
    const json_t *hand;
    size_t k;

    json_array_foreach(hands, k, hand)
    {
        printf("%5.1f %%  ", 100.0 * number_of(hand, "probability"));
        print_text(stdout, text_of(hand, "hand"), false);
        printf(", evidence 10^%.1f: ", number_of(hand, "log10_evidence"));
        print_text(stdout, text_of(hand, "about"), false);
        putchar('\n');
    }
}

static void show_hand(const struct line *line, const struct client_answer *all)
{
    const json_t *answer = all->json;
    json_t *kind;
    const char *name;

    (void)line;
    printf("%.0f shots under ", number_of(answer, "shots"));
    print_text(stdout, text_of(answer, "profile"), false);
    putchar('\n');
    print_intervals("all", json_object_get(answer, "intervals"));
    json_object_foreach(json_object_get(answer, "kinds"), name, kind)
        print_intervals(name, json_object_get(kind, "intervals"));
    print_drift(json_object_get(answer, "drift"));
    print_comparison(json_object_get(answer, "hands"));
}

static enum exit_status run(const struct line *line)
{
    static const char *const takes[] = {"id", "profile", "throws", NULL}; /* of those of queries */
    json_t *document = position_file_read(line, takes);

    if (!document)
        return EXIT_TROUBLE;
    struct client_call call = page_call(line);
    call.body = document;
    enum exit_status status = page_show(line, &call);
    json_decref(document);
    return status;
}

const struct command skill_commands[] = {
    {"skills",
     "Estimate the errors of a hand."
     "\vFILE (\"-\" or nothing: standard input) is "
     "{\"profile\":...,\"shots\":[{\"called\":...,\"thrown\":...},...]}: the shots that were "
     "called "
     "and what became of them. With \"compare\":true in it all kinds of hand are fitted and "
     "compared; \"hand\":NAME fits one. With --json the member noise of the answer can be sent as "
     "the noise of a query.",
     WORD_FILE, run, .method = "POST", .path = "/v1/skills", .show = show_hand},
    {0},
};
