/* One way to list everything. */
#include "service/rinkctl/list.h"

#include "service/rinkctl/client.h"
#include "service/rinkctl/options.h"

enum { KEY_LIMIT = 0x300, KEY_FILTER = 0x400, LIMIT_DEFAULT = 50, LIMIT_MAX = 1000000 };

struct list_options {
    struct common *common;
    const char *value[LIST_FILTERS_MAX];
    int limit;
};

static error_t read_option(int key, char *argument, struct argp_state *state)
{
    struct list_options *options = state->input;

    if (key >= KEY_FILTER && key < KEY_FILTER + LIST_FILTERS_MAX) {
        options->value[key - KEY_FILTER] = argument;
        return 0;
    }
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = options->common;
        return 0;
    case KEY_LIMIT:
        options->limit = (int)option_whole(state, "limit", argument, 1, LIMIT_MAX);
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s' is one argument too many", argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static enum exit_status show(const struct list *list, const char *command, bool json, json_t *items,
                             bool more)
{
    if (json) {
        json_t *document = json_pack("{s:O, s:b}", "items", items, "more", more);
        enum exit_status status = print_json(command, document);
        json_decref(document);
        return status;
    }
    if (json_array_size(items) == 0)
        fprintf(stderr, "%s: %s\n", command, list->empty);
    else
        print_table(stdout, list->columns, list->column_count, items);
    if (more) {
        fflush(stdout);
        fprintf(stderr, "%s: there are more; --limit=N shows up to N\n", command);
    }
    return EXIT_GOOD;
}

enum exit_status list_command(const struct list *list, int argc, char **argv, struct common *common)
{
    static const struct argp_child children[] = {{&common_argp, 0, NULL, 0}, {0}};
    struct argp_option known[LIST_FILTERS_MAX + 2] = {
        {"limit", KEY_LIMIT, "N", 0, "items at most (default 50)", 2}};
    const struct argp argp = {
        list->is_whole ? NULL : known, read_option, NULL, list->about, children, NULL, NULL};
    struct list_options options = {.common = common, .limit = list->is_whole ? 0 : LIMIT_DEFAULT};
    struct client_call call = {.path = list->path};
    json_t *items;
    bool more;

    for (int k = 0; k < LIST_FILTERS_MAX && list->filters[k].name; k++)
        known[k + 1] = (struct argp_option){list->filters[k].name,     KEY_FILTER + k,
                                            list->filters[k].argument, 0,
                                            list->filters[k].help,     1};
    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0)
        return EXIT_TROUBLE;
    for (int k = 0; k < LIST_FILTERS_MAX && list->filters[k].name; k++) {
        call.parameter[k].name = list->filters[k].name;
        call.parameter[k].value = options.value[k];
    }
    struct client *client = client_open(argv[0], common);
    if (!client)
        return EXIT_TROUBLE;
    enum exit_status status = client_list(client, &call, options.limit, &items, &more);
    if (status == EXIT_GOOD) {
        status = show(list, argv[0], common->json, items, more);
        json_decref(items);
    }
    client_free(client);
    return status;
}
