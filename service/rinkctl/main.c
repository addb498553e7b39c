/* rinkctl: the daemon's HTTP interface as commands. Finds the command and runs it. */
#include "api/base/output.h"
#include "service/rinkctl/client.h"
#include "service/rinkctl/options.h"
#include "service/rinkctl/print.h"

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

int main(int argc, char **argv)
{
    static struct line line = {.about = "Use a rinkd service: shots, jobs, results.",
                               .words = "COMMAND [ARGUMENT...]"};

    output_check_at_exit();
    setlocale(LC_CTYPE, "");
    argp_err_exit_status = EXIT_TROUBLE;
    if (!words_are_utf8(argc, argv))
        return EXIT_TROUBLE;
    int at = options_find_word(&line, argc, argv, 0);
    const struct command *command = at > 0 ? command_find(argv[at]) : NULL;
    if (command)
        return (int)run(&line, command, argc - at, argv + at);
    if (at > 0 && strcmp(argv[at], "complete") == 0)
        return (int)complete(argc - at, argv + at);
    if (at > 0)
        complain(program_invocation_short_name,
                 "there is no command '%s'; the commands are:", argv[at]);
    else
        complain(program_invocation_short_name, "a command is missing; the commands are:");
    command_print_list(stderr);
    return EXIT_TROUBLE;
}
