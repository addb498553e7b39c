/* Finds and runs the command of a command line. */
#include "workers/command.h"

#include "api/base/load_json.h"
#include "api/base/output.h"

#include <argp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

atomic_bool command_cancel;

void command_complain(const char *command, const char *what)
{
    fprintf(stderr, "%s: %s\n", command, what);
}

static void on_signal(int number)
{
    atomic_store(&command_cancel, true);
    signal(number, SIG_DFL);
}

static void say_commands(FILE *out, const struct command *commands)
{
    for (const struct command *command = commands; command->name; command++)
        fprintf(out, "  %-15s %s\n", command->name, command->about);
}

static void help(const char *about, const char *note, const struct command *commands)
{
    printf("Usage: %s COMMAND [OPTION...]\n%s\n\nCommands:\n", program_invocation_short_name,
           about);
    say_commands(stdout, commands);
    puts("\nCOMMAND --help lists the options of a command.");
    if (note)
        puts(note);
    puts("  -?, --help                 Give this help list\n"
         "  -V, --version              Print program version");
}

static int run(const struct command *command, int argc, char **argv)
{
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    char name[256];

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    argp_err_exit_status = EXIT_TROUBLE;
    snprintf(name, sizeof name, "%s %s", program_invocation_short_name, command->name);
    argv[1] = name;
    return command->run(argc - 1, argv + 1);
}

int command_main(int argc, char **argv, const char *about, const char *note,
                 const struct command *commands)
{
    const char *word = argc > 1 ? argv[1] : "";

    load_json_begin();
    output_check_at_exit();
    if (strcmp(word, "--help") == 0 || strcmp(word, "-?") == 0) {
        help(about, note, commands);
        return EXIT_GOOD;
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        puts(argp_program_version);
        return EXIT_GOOD;
    }
    for (const struct command *command = commands; command->name; command++)
        if (strcmp(word, command->name) == 0)
            return run(command, argc, argv);
    if (*word)
        fprintf(stderr, "%s: there is no command '%s'; there are:\n", program_invocation_short_name,
                word);
    else
        fprintf(stderr, "%s: a command is missing; there are:\n", program_invocation_short_name);
    say_commands(stderr, commands);
    return EXIT_TROUBLE;
}
