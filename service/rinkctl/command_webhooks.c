/* rinkctl webhooks, webhook-add, webhook-test, webhook-delete, deliveries. */
#include "api/base/build_json.h"
#include "api/jobs/job_states.h"
#include "service/rinkctl/page.h"

static const struct column webhook_columns[] = {
    {"webhook", "id", NULL, true},
    {"url", "url", NULL, false},
    {"states", "states", print_list, false},
    {"kinds", "kinds", print_list, false},
    {"waiting", "waiting", NULL, true},
    {"dropped", "dropped", NULL, true},
    {"added (UTC)", "created_at", print_time, false},
    {"about", "about", NULL, false},
    {0},
};

static const struct column delivery_columns[] = {
    {"delivery", "id", NULL, true},
    {"type", "type", NULL, false},
    {"job", "job", NULL, true},
    {"state", "state", NULL, false},
    {"tries", "tries", NULL, true},
    {"status", "status", NULL, true},
    {"made (UTC)", "created_at", print_time, false},
    {"next (UTC)", "next_at", print_time, false},
    {"reason", "reason", NULL, false},
    {0},
};

static const struct column added_fields[] = {
    {"webhook", "id", NULL, false},          {"url", "url", NULL, false},
    {"states", "states", print_list, false}, {"kinds", "kinds", print_list, false},
    {"secret", "secret", NULL, false},       {0},
};

static const struct column sent_fields[] = {
    {"delivery", "id", NULL, false},
    {"message", "message", NULL, false},
    {0},
};

/* " done buried cancelled" */
#define END_NAME(state, name, has_ended) END_NAME_##has_ended(name)
#define END_NAME_true(name)              " " name
#define END_NAME_false(name)
#define END_NAMES JOB_STATE_ROWS(END_NAME)

static const struct option_row add_options[] = {
    {"state", "STATE",
     "tell of jobs that end in this state:" END_NAMES "; may be repeated (default: all)",
     .choices = END_NAMES},
    {"kind", "KIND", "tell of jobs of this kind; may be repeated (default: all)",
     .type = OPTION_KIND},
    {"about", "TEXT", "kept with the webhook", .type = OPTION_TEXT, .member = "about"},
    {0},
};

static const struct option_row limit_option[] = {LIST_LIMIT, {0}};

static enum exit_status add(const struct line *line)
{
    struct client_call call = page_call(line);
    json_t *body = json_pack("{s:s, s:o*, s:o*}", "url", line->word[0], "states",
                             options_values(line, "state"), "kinds", options_values(line, "kind"));

    if (!body) {
        complain(line->name, "out of memory");
        return EXIT_TROUBLE;
    }
    options_set_members(line, body);
    call.body = body;
    enum exit_status status = page_show(line, &call);
    json_decref(body);
    return status;
}

static void show_deleted(const struct line *line, const struct client_answer *answer)
{
    (void)answer;
    printf("webhook %s: deleted\n", line->word[0]);
}

/* ---- the commands ---- */

const struct command webhook_commands[] = {
    {"webhooks", "List webhooks: addresses that are told when a job ends.", NO_WORD, list_run,
     .options = limit_option, .path = "/v1/webhooks", .columns = webhook_columns,
     .empty = "there are no webhooks"},
    {"webhook-add",
     "Add an address that is told when a job ends. Shows the secret that signs the messages, which "
     "is not shown again.",
     WORD_URL, add, .options = add_options, .method = "POST", .path = "/v1/webhooks",
     .columns = added_fields},
    {"webhook-test",
     "Send a message of type \"test\". `rinkctl deliveries` shows what became of it.", WORD_WEBHOOK,
     page_run, .method = "POST", .path = "/v1/webhooks/{}/test", .columns = sent_fields},
    {"webhook-delete", "Delete a webhook with all its deliveries.", WORD_WEBHOOK, page_run,
     .method = "DELETE", .path = "/v1/webhooks/{}", .show = show_deleted},
    {"deliveries", "List what was or will be sent to a webhook, the newest first.", WORD_WEBHOOK,
     list_run, .options = limit_option, .path = "/v1/webhooks/{}/deliveries",
     .columns = delivery_columns, .empty = "nothing was sent to this webhook"},
    {0},
};
