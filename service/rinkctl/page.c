/* One document or one list. */
#include "service/rinkctl/page.h"

#include <stdlib.h>
#include <string.h>

struct client_call page_call(const struct line *line)
{
    const struct command *command = line->command;
    struct client_call call = {.method = command->method,
                               .path = command->path,
                               .id = line->word[0],
                               .body = line->body,
                               .most_s = command->most_s};
    int count = 0;

    if (command->method)
        return call;
    for (const struct option_row *row = line->options; row && row->name; row++)
        if (row->argument && strcmp(row->name, "limit") != 0)
            call.parameter[count++] =
                (struct client_parameter){row->name, option_text(line, row->name)};
    return call;
}

static void show_columns(const struct line *line, const json_t *document)
{
    const json_t *result = json_object_get(document, "result");

    print_fields(stdout, line->command->columns, document);
    if (json_is_object(result)) {
        putchar('\n');
        print_result(stdout, text_of(document, "kind"), result);
    }
}

enum exit_status page_show(const struct line *line, const struct client_call *call)
{
    struct client_answer answer;
    enum exit_status status = client_call(line->client, call, &answer);

    if (status == EXIT_GOOD && option_given(line, "json") && answer.json)
        puts(answer.text);
    else if (status == EXIT_GOOD && line->command->show)
        line->command->show(line, &answer);
    else if (status == EXIT_GOOD)
        show_columns(line, answer.json);
    client_answer_free(&answer);
    return status;
}

enum exit_status page_run(const struct line *line)
{
    const struct client_call call = page_call(line);

    return page_show(line, &call);
}

/* ---- lists ---- */

static enum exit_status show_list(const struct line *line, json_t *items, bool more)
{
    if (option_given(line, "json")) {
        json_t *document = json_pack("{s:O, s:b}", "items", items, "more", more);
        enum exit_status status = print_json(line->name, document);
        json_decref(document);
        return status;
    }
    if (json_array_size(items) == 0)
        fprintf(stderr, "%s: %s\n", line->name, line->command->empty);
    else
        print_table(stdout, line->command->columns, items);
    if (more) {
        fflush(stdout);
        fprintf(stderr, "%s: there are more; --limit=N shows up to N\n", line->name);
    }
    return EXIT_GOOD;
}

enum exit_status list_run(const struct line *line)
{
    const struct client_call call = page_call(line);
    const char *limit = option_text(line, "limit");
    int most = limit ? atoi(limit) : line->options ? LIST_LIMIT_DEFAULT : 0;
    json_t *items;
    bool more;

    enum exit_status status = client_list(line->client, &call, most, &items, &more);
    if (status == EXIT_GOOD)
        status = show_list(line, items, more);
    json_decref(items);
    return status;
}
