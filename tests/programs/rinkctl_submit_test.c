/* rinkctl submit with every kind of job and every option, by the tables of the kinds, with a
 * daemon: a good value is taken, a bad one refused by its name, and nothing ends the program but
 * its own exit. */
#include "api/jobs/job_kinds.h"
#include "tests/api/client.h"
#include "tests/api/daemon.h"
#include "tests/programs/rinkctl_run.h"

#include <ctype.h>
#include <unistd.h>

#define NO_RUN "0123456789abcdef0123456789abcdef"

enum { TEXT_MAX = 96 };

static char no_lines[] = "/tmp/rinkctl-lines-XXXXXX"; /* a file of JSON lines */

/* "train_opponents" -> "--train-opponent". */
static void write_option(const struct field *field, char ret_option[TEXT_MAX])
{
    const bool is_list = field->type == FIELD_PLAYERS || field->type == FIELD_RESPONDERS ||
                         field->type == FIELD_WHOLES;

    snprintf(ret_option, TEXT_MAX, "--%s", field->name);
    if (is_list && ret_option[strlen(ret_option) - 1] == 's')
        ret_option[strlen(ret_option) - 1] = '\0';
    for (char *at = ret_option; *at; at++)
        if (*at == '_')
            *at = '-';
}

/* A value that a field takes by itself. */
static void write_value(const struct field *field, char ret_value[TEXT_MAX])
{
    const char *text = field->player ? field->player : "ai-simple";

    switch (field->type) {
    case FIELD_PLAYER:
    case FIELD_PLAYERS:
    case FIELD_RESPONDERS:
        break;
    case FIELD_POKER:
        text = "poker:random";
        break;
    case FIELD_PROFILE:
        text = "dc3";
        break;
    case FIELD_WHOLE:
    case FIELD_WHOLES:
        snprintf(ret_value, TEXT_MAX, "%lld", (long long)field->whole.most);
        return;
    case FIELD_NUMBER:
        snprintf(ret_value, TEXT_MAX, "%.9g", field->number.least);
        return;
    case FIELD_CHOICE:
        text = field->choices[0];
        break;
    case FIELD_RUN:
        text = NO_RUN;
        break;
    case FIELD_GAME:
        text = "7-0-1";
        break;
    case FIELD_RECORD:
        text = no_lines;
        break;
    case FIELD_TEXT:
        text = field->player ? field->player : "word";
        break;
    case FIELD_OBJECT:
        text = "name=1";
        break;
    }
    snprintf(ret_value, TEXT_MAX, "%s", text);
}

/* A command line that grows. */
struct words {
    const char *word[WORDS_MAX];
    char text[WORDS_MAX][2 * TEXT_MAX];
    int count;
};

__attribute__((format(printf, 2, 3))) static void add(struct words *words, const char *format, ...)
{
    va_list arguments;

    assert_true(words->count < WORDS_MAX - 1);
    va_start(arguments, format);
    vsnprintf(words->text[words->count], sizeof words->text[0], format, arguments);
    va_end(arguments);
    words->word[words->count] = words->text[words->count];
    words->word[++words->count] = NULL;
}

/* Adds --OPTION=VALUE; for a field of a choice also the choice, before it. */
static void add_field(struct words *words, const struct field *field, const char *value)
{
    char option[TEXT_MAX], own[TEXT_MAX];

    write_option(field, option);
    write_value(field, own);
    if (field->by)
        add(words, "--%s=%s", field->by, field->only[0]);
    add(words, "%s=%s", option, value ? value : own);
}

/* The line `submit KIND` with all that the kind needs, but for one field (NULL: with all); the job
 * would wait for an hour. `choice`: the field whose choice is on the line. */
static void begin(struct words *words, const struct job_kind *kind, const struct field *without)
{
    *words = (struct words){.count = 0};
    add(words, "submit");
    add(words, "%s", kind->name);
    add(words, "--delay-s=3600");
    for (const struct field *field = kind->fields; field->name; field++) {
        const bool is_needed = field->absent == FIELD_NEEDED &&
                               (!field->by || (without && without->by && field != without &&
                                               strcmp(field->only[0], without->only[0]) == 0));
        if (!is_needed || field == without)
            continue;
        if (field->type == FIELD_PLAYERS)
            add(words, "random");
        if (field->type == FIELD_PLAYERS)
            add(words, "ai-simple");
        else
            add_field(words, field, NULL);
    }
}

/* Runs the line; it ends by itself, and with a sentence that names the field if it was not taken.
 */
static int run(const struct words *words, const struct field *field)
{
    struct program_run run = rinkctl(words->word, "");
    const int status = run.status;
    char line[2048] = "", option[TEXT_MAX];

    write_option(field, option);
    for (int k = 0; k < words->count; k++)
        strncat(strncat(line, " ", 2), words->word[k], sizeof line - strlen(line) - 3);
    if (status > 2)
        fail_msg("rinkctl%s ends with %d: %s", line, status, run.errors);
    if (status != 0 && !strstr(run.errors, field->name) && !strstr(run.errors, option) &&
        !strstr(run.errors, "\n  spec"))
        fail_msg("rinkctl%s ends with %d and does not name %s: %s", line, status, field->name,
                 run.errors);
    program_free(&run);
    return status;
}

/* Each field of a kind with a good value, then with values that no field takes. */
static void take_field(const struct job_kind *kind, const struct field *field)
{
    static const char *const bad[] = {"", "\xc3\xa9\t=", "-1e999", "99999999999999999999999"};
    char option[TEXT_MAX];
    struct words words;

    if (field->type == FIELD_PLAYERS && field->absent == FIELD_NEEDED)
        return; /* the words */
    write_option(field, option);
    begin(&words, kind, field);
    add_field(&words, field, NULL);
    run(&words, field);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        begin(&words, kind, field);
        add_field(&words, field, bad[k]);
        run(&words, field);
    }
}

static int use_service(void **state)
{
    (void)state;
    use_port(daemon_here.port);
    return 0;
}

static void every_option_of_every_kind_is_taken_or_refused_by_name(void **state)
{
    const struct job_kind *kind;

    (void)state;
    for (int k = 0; (kind = job_kind_at(k)) != NULL; k++)
        for (const struct field *field = kind->fields; field->name && !kind->is_internal; field++)
            take_field(kind, field);
    expect(WORDS("cancel", "--all"), 0, " jobs\n", NULL);
}

static void a_word_is_taken_where_it_has_a_meaning(void **state)
{
    static const struct {
        const char *kind, *word, *spec; /* of the body; NULL: no word is taken */
    } rows[] = {{"train", "x", NULL},
                {"match", "x", NULL},
                {"exploitability", "ai-simple", "\"player\":\"ai-simple\""},
                {"regret", "ai-simple", "\"player\":\"ai-simple\""},
                {"poker-match", "x", NULL},
                {"compete", "host:1", "\"server\":\"host:1\""},
                {"host", "x", NULL},
                {"diagnose", "x", NULL},
                {"external", "newsl", "program"},
                {"review", "7-0-1", "game"}};

    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        if (rows[k].spec) {
            struct program_run run =
                rinkctl(WORDS("submit", rows[k].kind, rows[k].word, "--delay-s=3600"), "");
            assert_has(run.status == 0 ? run.output : run.errors, rows[k].spec);
            assert_true(run.status == 0 || run.status == 2);
            program_free(&run);
            expect(WORDS("submit", rows[k].kind, rows[k].word, "more"), 1, NULL,
                   "'more' is one argument too many");
        } else {
            expect(WORDS("submit", rows[k].kind, rows[k].word), 1, NULL,
                   "'x' is one argument too many");
        }
    }
    expect(WORDS("submit", "review", "--game=7-0-1", "8-0-1"), 1, NULL, "'8-0-1' is one argument");
}

/* A field that only some values of a choice need: with the others the line is taken without it. */
static void a_field_is_needed_only_with_its_choice(void **state)
{
    const struct job_kind *kind;
    struct words words;
    int needed = 0, strays = 0;

    (void)state;
    for (int k = 0; (kind = job_kind_at(k)) != NULL; k++) {
        for (const struct field *field = kind->fields; field->name && !kind->is_internal; field++) {
            if (!field->by)
                continue;
            if (field->absent == FIELD_NEEDED) {
                begin(&words, kind, field);
                add(&words, "--%s=%s", field->by, field->only[0]);
                assert_int_equal(run(&words, field), 1);
                needed++;
            }
            const struct field *by = kind->fields;
            while (strcmp(by->name, field->by) != 0)
                by++;
            for (int n = 0; by->choices[n]; n++) {
                if (job_value_find(field->only, by->choices[n]) >= 0)
                    continue;
                begin(&words, kind, NULL);
                add_field(&words, field, NULL);
                add(&words, "--%s=%s", field->by, by->choices[n]);
                strays += run(&words, field) == 2;
            }
        }
    }
    assert_int_equal(needed, 1);
    assert_true(strays >= 10);
    expect(WORDS("submit", "compete", "--protocol=dc3", "--server=a:1", "--delay-s=3600"), 0,
           "\"protocol\":\"dc3\"", NULL);
    expect(WORDS("submit", "compete", "--protocol=dc4", "--server=http://a", "--delay-s=3600"), 1,
           NULL, "--match=TEXT is needed with this protocol");
    expect(WORDS("cancel", "--all"), 0, " jobs\n", NULL);
}

/* Text without what only its layout adds: line breaks, indents and the escapes of roff. */
static char *plain(const char *text)
{
    char *copy = malloc(strlen(text) + 1), *to = copy;

    assert_non_null(copy);
    for (; *text; text++)
        if (strncmp(text, "\\(dq", 4) == 0)
            text += 3, *to++ = '"';
        else if (!isspace((unsigned char)*text) && *text != '\\')
            *to++ = (char)tolower((unsigned char)*text);
    *to = '\0';
    return copy;
}

static void assert_tells(const char *where, const char *text, const struct field *field)
{
    char *about = plain(field->about);

    if (!strstr(text, about))
        fail_msg("%s does not say '%s'", where, field->about);
    free(about);
}

static void the_help_of_every_option_is_whole(void **state)
{
    const struct job_kind *kind;
    struct program_run page = rinkctl(WORDS("complete", "manual"), "");
    char *manual = plain(page.output);

    (void)state;
    for (int k = 0; (kind = job_kind_at(k)) != NULL; k++) {
        if (kind->is_internal)
            continue;
        struct program_run run = rinkctl(WORDS("submit", kind->name, "--help"), "");
        char *help = plain(run.output);
        for (const struct field *field = kind->fields; field->name; field++) {
            const bool is_list = field->type == FIELD_PLAYERS && field->absent == FIELD_NEEDED;
            for (const struct field *one = field->fields; one && one->name && !field->by; one++)
                if (strcmp(field->name, "from") != 0)
                    assert_tells(kind->name, help, one);
            if (is_list || (field->fields && strcmp(field->name, "limits") == 0) ||
                strcmp(field->name, "sprt") == 0 || strcmp(field->name, "noise") == 0 ||
                strcmp(field->name, "network") == 0)
                continue;
            assert_tells(kind->name, help, field);
            assert_tells("the page", manual, field);
        }
        free(help);
        program_free(&run);
    }
    free(manual);
    program_free(&page);
}

static int start(void **state)
{
    int file = mkstemp(no_lines);

    assert_true(file >= 0 && write(file, "{}\n{}\n", 6) == 6 && close(file) == 0);
    return daemon_start_here(state);
}

static int end(void **state)
{
    unlink(no_lines);
    return daemon_end_here(state);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_option_of_every_kind_is_taken_or_refused_by_name, use_service),
        cmocka_unit_test_setup(a_word_is_taken_where_it_has_a_meaning, use_service),
        cmocka_unit_test_setup(a_field_is_needed_only_with_its_choice, use_service),
        cmocka_unit_test_setup(the_help_of_every_option_is_whole, use_service),
    };

    return cmocka_run_group_tests(tests, start, end);
}
