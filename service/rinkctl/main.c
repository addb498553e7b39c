/* rinkctl: the daemon's HTTP interface as commands. Finds the command and runs it. */
#include "api/output.h"
#include "service/rinkctl/list.h"
#include "service/rinkctl/page.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

const char *argp_program_version = "rinkctl " RINKD_VERSION;

/* Each row has one of the last four members. */
static const struct {
    const char *name, *about;
    command_function *run;
    const struct list *list;
    const struct page *page;
    const struct move *move;
} commands[] = {
    {"shot", "ask for the best shot of a position", .run = command_shot},
    {"submit", "add a job of some kind, or one from a file", .run = command_submit},
    {"watch", "follow a job to its end", .run = command_watch},
    {"jobs", "list jobs", .run = command_jobs},
    {"job", "show one job", .page = &job_page},
    {"log", "show the last lines of a job's worker", .run = command_log},
    {"cancel", "end jobs; what they found so far is kept", .move = &cancel_move},
    {"pause", "make jobs wait until they are resumed", .move = &pause_move},
    {"resume", "let paused jobs go on", .move = &resume_move},
    {"kick", "give buried jobs another chance", .move = &kick_move},
    {"delete", "remove jobs that have ended, with all that they left", .move = &delete_move},
    {"runs", "list runs", .list = &runs_list},
    {"run", "show one run", .page = &run_page},
    {"metrics", "show the curves of a run", .run = command_metrics},
    {"elo", "show the ladder of ratings", .run = command_elo},
    {"matches", "list matches", .list = &matches_list},
    {"players", "list what can play", .list = &players_list},
    {"profiles", "list profiles: rules, ice and hand by one name", .list = &profiles_list},
    {"models", "list models", .list = &models_list},
    {"status", "say how the service is", .run = command_status},
    {"backup", "copy the database on the server", .page = &backup_page},
    {"complete", NULL, .run = command_complete}, /* called by shell completions */
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void say_commands(FILE *out)
{
    for (size_t k = 0; k < COMMANDS; k++)
        if (commands[k].about)
            fprintf(out, "  %-8s %s\n", commands[k].name, commands[k].about);
}

static char *add_commands(int key, const char *text, void *input)
{
    char *list = NULL;
    size_t size;

    (void)input;
    if (key != ARGP_KEY_HELP_PRE_DOC)
        return (char *)(size_t)text;
    FILE *out = open_memstream(&list, &size);
    if (!out)
        return NULL;
    fprintf(out, "%s\n\nCommands:\n", text);
    say_commands(out);
    fputs("\nCOMMAND --help lists the options of a command. Those below may also stand behind it.",
          out);
    fclose(out);
    return list;
}

struct line {
    struct common common;
    int command; /* index in argv; 0: none */
};

static error_t read_line(int key, char *argument, struct argp_state *state)
{
    struct line *line = state->input;

    (void)argument;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &line->common;
        return 0;
    case ARGP_KEY_ARG: /* the command reads the rest */
        line->command = state->next - 1;
        state->next = state->argc;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static enum exit_status run_command(int argc, char **argv, struct common *common)
{
    char name[256];

    for (size_t k = 0; k < COMMANDS; k++) {
        if (strcmp(argv[0], commands[k].name) != 0)
            continue;
        snprintf(name, sizeof name, "%s %s", program_invocation_short_name, argv[0]);
        argv[0] = name;
        if (commands[k].list)
            return list_command(commands[k].list, argc, argv, common);
        if (commands[k].page)
            return page_command(commands[k].page, argc, argv, common);
        if (commands[k].move)
            return move_command(commands[k].move, argc, argv, common);
        return commands[k].run(argc, argv, common);
    }
    complain(program_invocation_short_name, "there is no command '%s'; there are:", argv[0]);
    say_commands(stderr);
    return EXIT_TROUBLE;
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
    static const struct argp_child children[] = {{&common_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {NULL,
                              read_line,
                              "COMMAND [ARGUMENT...]",
                              "Use a rinkd service: shots, jobs, results.",
                              children,
                              add_commands,
                              NULL};
    struct line line = {.common = {.retries = 5}};

    output_check_at_exit();
    setlocale(LC_CTYPE, "");
    argp_err_exit_status = EXIT_TROUBLE;
    if (!words_are_utf8(argc, argv))
        return EXIT_TROUBLE;
    if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &line) != 0)
        return EXIT_TROUBLE;
    if (!line.command) {
        complain(program_invocation_short_name, "a command is missing; there are:");
        say_commands(stderr);
        return EXIT_TROUBLE;
    }
    return (int)run_command(argc - line.command, argv + line.command, &line.common);
}
