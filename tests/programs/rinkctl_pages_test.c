/* The documentation of rinkctl: its manual page and its shell completions. */
#include "tests/programs/rinkctl_run.h"
#include "tests/programs/usage.h"

static const char *const commands[] = {"shot",
                                       "map",
                                       "calls",
                                       "skills",
                                       "submit",
                                       "repeat",
                                       "watch",
                                       "jobs",
                                       "job",
                                       "tasks",
                                       "log",
                                       "cancel",
                                       "pause",
                                       "resume",
                                       "kick",
                                       "delete",
                                       "priority",
                                       "runs",
                                       "run",
                                       "metrics",
                                       "elo",
                                       "matches",
                                       "game",
                                       "live",
                                       "players",
                                       "profiles",
                                       "models",
                                       "reproduction",
                                       "library",
                                       "position",
                                       "library-add",
                                       "library-delete",
                                       "puzzles",
                                       "webhooks",
                                       "webhook-add",
                                       "webhook-test",
                                       "webhook-delete",
                                       "deliveries",
                                       "nodes",
                                       "node",
                                       "node-pause",
                                       "node-resume",
                                       "node-drain",
                                       "node-forget",
                                       "status",
                                       "whoami",
                                       "callers",
                                       "backup",
                                       "backups",
                                       "retention",
                                       "import",
                                       "export"};

/* Checks that the options in the help of a command are in the page, and among those that rinkctl
 * lists for the completions. */
static void options_are_written_about(const char *page, const char *command, const char *kind)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    struct program_run help =
        rinkctl(kind ? WORDS(command, kind, "--help") : WORDS(command, "--help"), "");
    struct program_run offered = rinkctl(WORDS("complete", "options", command, kind), "");
    int options = 0;

    assert_int_equal(help.status, 0);
    assert_null(strstr(help.output, "(null)")); /* an argument without a name */
    for (const char *at = help.output; (at = strstr(at, "  --")) != NULL; at += 4, options++) {
        char option[64];
        snprintf(option, sizeof option, "--%.*s", (int)strspn(at + 4, letters), at + 4);
        if (!strstr(page, option))
            fail_msg("%s is not in the page", option);
        if (!strstr(offered.output, option) && !strstr("--help --usage --version", option))
            fail_msg("%s is not offered", option);
    }
    assert_true(options >= 5);
    assert_true(usage_page_has_defaults(page, help.output) >= 1);
    program_free(&offered);
    program_free(&help);
}

static void the_page_and_the_completions_have_everything(void **state)
{
    (void)state;
    struct program_run help = rinkctl(WORDS("--help"), "");
    size_t count = sizeof commands / sizeof *commands, lines = 0;
    const char *list = strstr(help.output, "Commands:\n");

    assert_non_null(list);
    for (list = strchr(list, '\n') + 1; *list == ' '; list = strchr(list, '\n') + 1)
        lines++;
    assert_int_equal(lines, count); /* this test lists all */
    program_free(&help);
    char *page = usage_page(RINKCTL_PAGE);
    for (size_t k = 0; k < count; k++) {
        assert_has(page, commands[k]);
        options_are_written_about(page, commands[k], NULL);
    }
    struct program_run list_of_kinds = rinkctl(WORDS("complete", "kinds"), "");
    char *rest = list_of_kinds.output;
    int kinds = 0;
    for (const char *line; *(line = strsep(&rest, "\n")); kinds++) {
        char kind[32];
        assert_int_equal(sscanf(line, "%31[^\t]\t", kind), 1);
        assert_has(page, kind);
        options_are_written_about(page, "submit", kind);
    }
    assert_true(kinds >= 5);
    program_free(&list_of_kinds);
    free(page);
}

/* Checks the words that bash offers after these, one per line. */
static void expect_completion(const char *words, const char *offered)
{
    static const char script[] =
        "source \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1));"
        "_rinkctl; printf '%s\\n' \"${COMPREPLY[@]}\"";
    char text[256], *word = text;
    const char *argv[WORDS_MAX] = {"/bin/bash", "-c", script, "bash", RINKCTL_BASH, RINKCTL};
    int count = 6;

    snprintf(text, sizeof text, "%s", words);
    while (word)
        argv[count++] = strsep(&word, " ");
    struct program_run run = program_run(argv, "", 0);
    assert_string_equal(run.errors, "");
    assert_string_equal(run.output, offered);
    program_free(&run);
}

static void bash_completes(void **state)
{
    char all[1024] = "";

    (void)state;
    for (size_t k = 0; k < sizeof commands / sizeof *commands; k++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s\n", commands[k]);
    expect_completion("", all);
    expect_completion("job", "jobs\njob\n");
    expect_completion("--address x submit tou", "tournament\n");
    expect_completion("submit match --el", "--elo0\n--elo1\n");
    expect_completion("submit train --alg", "--algorithm\n");
    expect_completion("submit tournament --ex", "--extra-ends\n");
    expect_completion("submit diagnose --el", "\n");
    expect_completion("jobs --state ca", "cancelled\n");
    expect_completion("jobs --state = ca", "cancelled\n");
    expect_completion("jobs --kind to", "tournament\n");
    expect_completion("jobs --kind ra", "\n"); /* internal */
    expect_completion("submit --pairs 3 match --el", "--elo0\n--elo1\n");
    expect_completion("submit --priority = 3 match --profile dc4-l", "dc4-library\n");
    expect_completion("--retries = 3 submit diag", "diagnose\n");
    expect_completion("watch rinkctl", "\n");
    expect_completion("submit train --algorithm = nfsp-", "nfsp-literal\n");
    expect_completion("submit match --profile dc4-l", "dc4-library\n");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_and_the_completions_have_everything),
        cmocka_unit_test(bash_completes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
