/* See rinkctl_run.h. */
#include "tests/programs/rinkctl_run.h"

void use_port(int port)
{
    char url[64];

    snprintf(url, sizeof url, "http://127.0.0.1:%d", port);
    assert_int_equal(setenv("RINKCTL_SERVER", url, 1), 0);
}

struct program_run rinkctl(const char *const words[WORDS_MAX], const char *input)
{
    const char *argv[WORDS_MAX + 2] = {RINKCTL};

    for (int k = 0; k < WORDS_MAX && words[k]; k++)
        argv[k + 1] = words[k];
    return program_run(argv, input, strlen(input));
}

void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

void expect(const char *const words[WORDS_MAX], int status, const char *output, const char *errors)
{
    struct program_run run = rinkctl(words, "");

    if (run.status != status)
        fail_msg("status %d, not %d: %s%s", run.status, status, run.output, run.errors);
    if (output)
        assert_has(run.output, output);
    if (errors)
        assert_has(run.errors, errors);
    program_free(&run);
}

json_t *json_of(const char *const words[WORDS_MAX], const char *input)
{
    struct program_run run = rinkctl(words, input);

    if (run.status != 0)
        fail_msg("status %d: %s", run.status, run.errors);
    json_t *document = json_loads(run.output, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(document);
    program_free(&run);
    return document;
}
