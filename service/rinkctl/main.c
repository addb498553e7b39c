/* rinkctl: the daemon's HTTP interface as commands. Finds the command and runs it. */
#include "api/base/load_json.h"
#include "api/base/output.h"
#include "service/rinkctl/client.h"
#include "service/rinkctl/options.h"
#include "service/rinkctl/print.h"
#include "service/rinkctl/suggest.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

const char *argp_program_version = "rinkctl " RINKD_VERSION;

static enum exit_status run(struct line *line, const struct command *command, int argc, char **argv)
{
    snprintf(line->name, sizeof line->name, "%s %s", program_invocation_short_name, command->name);
    line->command = command;
    line->options = command->options;
    line->about = command->about;
    line->words = command->words;
    if (command->prepare)
        command->prepare(line, argc, argv);
    if (command->look)
        command->look(line, argc, argv);
    argv[0] = line->name;
    options_read(line, argc, argv);
    enum exit_status status = EXIT_TROUBLE;
    line->client = client_open(line);
    if (line->client)
        status = command->run(line);
    client_free(line->client);
    json_decref(line->body);
    return status;
}

/* JSON is UTF-8: a word that is not would be lost on its way to the server. */
static bool words_are_utf8(int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
        json_t *word = json_string(argv[k]);
        if (!word) {
            complain(program_invocation_short_name, "word %d of the command line is not UTF-8", k);
            return false;
        }
        json_decref(word);
    }
    return true;
}

/* Says that there is no such command; NULL: that one is missing. */
static enum exit_status refuse(const char *word)
{
    const char *program = program_invocation_short_name;
    struct suggestion suggestion = {.wanted = word};
    const struct command *command;

    if (!word) {
        complain(program, "a command is missing");
    } else {
        for (int k = 0; (command = command_at(k)) != NULL; k++)
            suggestion_try(&suggestion, command->name);
        complain(program, "there is no command '%s'", word);
    }
    if (suggestion.best)
        complain(program, "did you mean '%s'?", suggestion.best);
    fprintf(stderr, "`%s --help' lists the commands.\n", program);
    return EXIT_TROUBLE;
}

int main(int argc, char **argv)
{
    static struct line line = {.about = "Use a rinkd service: shots, jobs, results.",
                               .words = "COMMAND [ARGUMENT...]"};

    output_check_at_exit();
    load_json_begin();
    setlocale(LC_CTYPE, ""); /* libcurl reads names of hosts by it */
    argp_err_exit_status = EXIT_TROUBLE;
    if (!words_are_utf8(argc, argv))
        return EXIT_TROUBLE;
    int at = options_find_word(&line, argc, argv, 0);
    const struct command *command = at > 0 ? command_find(argv[at]) : NULL;
    if (command)
        return (int)run(&line, command, argc - at, argv + at);
    if (at > 0 && strcmp(argv[at], "complete") == 0)
        return (int)complete(argc - at, argv + at);
    return (int)refuse(at > 0 ? argv[at] : NULL);
}
