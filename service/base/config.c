/* The table of settings, which the file, the environment and the flags fill. */
#include "service/base/config.h"
#include "service/base/config_tokens.h"

#include "api/jobs/webhook.h"
#include "service/base/lease.h"
#include "service/base/log.h"

#include <argp.h>
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <libgen.h>
#include <limits.h>
#include <sched.h>
#include <sodium.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *argp_program_version = "rinkd " RINKD_VERSION;

enum {
    FIRST_KEY = 1000,
    LINE_BYTES = 1024,
    NAME_BYTES = 64,
    FLAG_BYTES = 32,
    MESSAGE_BYTES = 2 * LINE_BYTES
};

enum setting_type { SETTING_TEXT, SETTING_WHOLE, SETTING_LISTEN, SETTING_CHOICE, SETTING_KEEP };

static const char *const levels[] = {"error", "warning", "info", "debug", NULL};
static const char *const formats[] = {"human", "json", NULL};

#define TEXT(member) \
    SETTING_TEXT, offsetof(struct config, member), .size = sizeof((struct config *)0)->member
#define WHOLE(member, from, to) \
    SETTING_WHOLE, offsetof(struct config, member), .least = (from), .most = (to)
#define KEEP(member)          SETTING_KEEP, offsetof(struct config, member), .size = sizeof(struct keep)
#define CHOICE(member, names) SETTING_CHOICE, offsetof(struct config, member), .choices = (names)

/* One table for flags, variables, the file, --help and --check-config. The variable is RINKD_
 * and the name in capitals; the flag has '-' for '_'. */
static const struct setting {
    const char *name, *argument, *help;
    const char *initial;       /* the default; NULL: set_defaults() computes it … */
    const char *initial_words; /* … and --help prints these words; NULL: none */
    enum setting_type type;
    size_t offset, size; /* in struct config; size of texts */
    int least, most;
    const char *const *choices; /* NULL at the end */
    bool is_live;               /* SIGHUP applies it */
} settings[] = {
    {"data", "FOLDER", "where everything is kept", "rinkd-data", NULL, TEXT(data)},
    {"listen", "ADDRESS:PORT", "where to listen; port 0 takes any free one", "127.0.0.1:8080", NULL,
     SETTING_LISTEN, .offset = 0},
    {"base_path", "PATH", "where a proxy shows the service, as /rinkd", NULL, NULL,
     TEXT(base_path)},
    {"programs", "FOLDER", "where rink-search and the others are", NULL,
     "beside rinkd, or where its build has them", TEXT(programs)},
    {"workers", "N", "jobs at a time; 0 takes none", NULL, "one for each processor",
     WHOLE(workers, 0, 1024)},
    {"hosted_games", "N", "games of the kind host at a time; they take no worker", "64", NULL,
     WHOLE(hosted_games, 0, 1024)},
    {"lease_ms", "N", "milliseconds that a worker may be silent", LEASE_DEFAULT_MS, NULL,
     WHOLE(lease_ms, LEASE_LEAST_MS, LEASE_MOST_MS)},
    {"node_lease_ms", "N", "milliseconds that a node may be silent", "60000", NULL,
     WHOLE(node_lease_ms, LEASE_LEAST_MS, LEASE_MOST_MS)},
    {"check_percent", "N", "percent of the tasks of nodes that another node does, too", "2", NULL,
     WHOLE(check_percent, 0, 100)},
    {"blobs_mib_max", "N",
     "MiB of files that the nodes of each caller may have sent in ten minutes; 0 sets no limit",
     "32768", NULL, WHOLE(blobs_mib_max, 0, 100000000)},
    {"search_processes", "N", "warm processes for shot queries", NULL, "half the processors",
     WHOLE(search_processes, 1, 256)},
    {"search_threads", "N", "threads of each of them", "1", NULL, WHOLE(search_threads, 1, 256)},
    {"search_waiting_max", "N", "shot queries that may wait", "64", NULL,
     WHOLE(search_waiting_max, 0, 100000)},
    {"search_max_ms", "N",
     "milliseconds that a shot query may run; it then ends with its answer so far; 0 sets no limit",
     "0", NULL, WHOLE(search_max_ms, 0, 86400000)},
    {"connections_max", "N", "connections at a time", "8192", NULL,
     WHOLE(connections_max, 16, 1000000)},
    {"requests_per_s", "N", "requests of each caller in a second; 0 sets no limit", "0", NULL,
     WHOLE(requests_per_s, 0, 1000000)},
    {"player", "PLAYER", "the player for shot queries that name none", "rink", NULL, TEXT(player)},
    {"log_format", "FORMAT", "human or json", "human", NULL, CHOICE(log_format, formats),
     .is_live = true},
    {"log_level", "LEVEL", "error, warning, info or debug", "info", NULL, CHOICE(log_level, levels),
     .is_live = true},
    {"webhook_addresses", "WHICH", "where messages of webhooks may go: public, private or any",
     "public", NULL, CHOICE(webhook_addresses, webhook_addresses_names)},
    {"drain_ms", "N", "milliseconds that workers have to save their work at the end", "30000", NULL,
     WHOLE(drain_ms, 0, 86400000)},
    {"keep_jobs", "LIMITS", "ended jobs with all that is theirs: " KEEP_FORM, "", "keeps all",
     KEEP(keep_jobs)},
    {"keep_replays", "LIMITS", "records of games of ended jobs: such limits", "", "keeps all",
     KEEP(keep_replays)},
    {"keep_backups", "LIMITS", "copies in backups/: such limits; the newest always stays", "",
     "keeps all", KEEP(keep_backups)},
    {"backup_every_h", "N", "hours from one backup to the next; 0 makes none", "0", NULL,
     WHOLE(backup_every_h, 0, 8760)},
    {"tls_certificate", "FILE", "certificate for https, with those between it and its root: PEM",
     NULL, NULL, TEXT(tls_certificate), .is_live = true},
    {"tls_key", "FILE", "its private key: PEM", NULL, NULL, TEXT(tls_key), .is_live = true},
    {"slurm_max", "N", "pilots that Slurm may run at a time; 0: no Slurm", "0", NULL,
     WHOLE(slurm_max, 0, 10000)},
    {"slurm_min", "N", "pilots that stay in its queue even if nothing waits", "0", NULL,
     WHOLE(slurm_min, 0, 10000)},
    {"slurm_cores", "N", "cores of each pilot", "1", NULL, WHOLE(slurm_cores, 1, 1024)},
    {"slurm_memory_mb", "N", "megabytes of each pilot; 0: as Slurm gives by default", "0", NULL,
     WHOLE(slurm_memory_mb, 0, 1 << 24)},
    {"slurm_time_min", "N", "minutes that a pilot may run", "60", NULL,
     WHOLE(slurm_time_min, 1, 1 << 20)},
    {"slurm_idle_s", "N", "seconds without work after which a pilot ends", "120", NULL,
     WHOLE(slurm_idle_s, 1, 1 << 20)},
    {"slurm_options", "OPTIONS", "more options of sbatch, as --partition=short", NULL, NULL,
     TEXT(slurm_options)},
    {"slurm_node", "COMMAND", "starts a node there, as rink-node --url https://here:8080", NULL,
     NULL, TEXT(slurm_node)},
    {"tokens", "FILE", "tokens of callers: lines NAME SCOPES SHA256 [LIMIT=…]", NULL, NULL,
     TEXT(tokens_file), .is_live = true},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* Settings needed only while reading. */
struct config_reading {
    struct config *config;
    const char *file;            /* from --config; NULL: none */
    const char *flags[SETTINGS]; /* arguments of the flags; NULL: not given */
    bool check, health_check;
    char *new_token; /* SCOPES[:NAME] */
    bool is_again;   /* while the daemon runs: errors go to the log */
    bool failed;
};

bool config_complain(struct config_reading *reading, const char *format, ...)
{
    char text[MESSAGE_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (reading->is_again)
        log_line(LOG_ERROR, "settings stay as they were", log_text("why", text));
    else
        fprintf(stderr, "rinkd: %s\n", text);
    reading->failed = true;
    return false;
}

static bool read_whole(const char *text, long least, long most, int *ret_value)
{
    char *end;

    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno != 0 || *end || value < least || value > most)
        return false;
    *ret_value = (int)value;
    return true;
}

/* Reads "ADDRESS:PORT" or "[V6]:PORT". */
static bool read_listen(const char *text, struct config *config)
{
    const char *colon = strrchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : 0;
    unsigned char bytes[16];
    char address[sizeof config->address];
    int port;

    if (!colon || !read_whole(colon + 1, 0, 65535, &port))
        return false;
    if (length >= 2 && text[0] == '[' && text[length - 1] == ']') {
        text++;
        length -= 2;
    }
    if (length >= sizeof address)
        return false;
    memcpy(address, text, length);
    address[length] = '\0';
    if (strcmp(address, "localhost") == 0)
        strcpy(address, "127.0.0.1");
    if (inet_pton(AF_INET, address, bytes) != 1 && inet_pton(AF_INET6, address, bytes) != 1)
        return false;
    strcpy(config->address, address);
    config->port = port;
    return true;
}

static bool refuse_choice(struct config_reading *reading, const struct setting *setting,
                          const char *from, const char *text)
{
    char names[LINE_BYTES] = "";

    for (int k = 0; setting->choices[k]; k++) {
        if (k > 0)
            strcat(names, setting->choices[k + 1] ? ", " : " or ");
        strcat(names, setting->choices[k]);
    }
    return config_complain(reading, "%s: must be %s, not '%s'", from, names, text);
}

/* Sets a value. `from` is its source in messages: "--workers", "RINKD_WORKERS", "FILE:
 * /workers". */
static bool set(struct config_reading *reading, const struct setting *setting, const char *from,
                const char *text)
{
    struct config *config = reading->config;
    char *member = (char *)config + setting->offset;
    int value;

    switch (setting->type) {
    case SETTING_TEXT:
        if (*text == '\0' || strlen(text) >= setting->size)
            return config_complain(reading, "%s: must be 1 to %zu bytes", from, setting->size - 1);
        strcpy(member, text);
        return true;
    case SETTING_WHOLE:
        if (!read_whole(text, setting->least, setting->most, &value))
            return config_complain(reading, "%s: must be a whole number from %d to %d, not '%s'",
                                   from, setting->least, setting->most, text);
        *(int *)(void *)member = value;
        return true;
    case SETTING_LISTEN:
        return read_listen(text, config) ||
               config_complain(reading, "%s: must be ADDRESS:PORT with an IP address, not '%s'",
                               from, text);
    case SETTING_CHOICE:
        for (value = 0; setting->choices[value]; value++)
            if (strcmp(setting->choices[value], text) == 0) {
                *(int *)(void *)member = value;
                return true;
            }
        return refuse_choice(reading, setting, from, text);
    case SETTING_KEEP:
        return keep_read(text, (struct keep *)(void *)member) ||
               config_complain(reading, "%s: must be " KEEP_FORM ", or nothing, not '%s'", from,
                               text);
    }
    return false;
}

static const struct setting *find_setting(const char *name)
{
    for (int k = 0; k < SETTINGS; k++)
        if (strcmp(settings[k].name, name) == 0)
            return &settings[k];
    return NULL;
}

/* ---- the file ---- */

static void read_member(struct config_reading *reading, const char *key, json_t *value)
{
    char from[LINE_BYTES], number[32];
    const char *text = json_string_value(value);
    const struct setting *setting = find_setting(key);

    snprintf(from, sizeof from, "%.800s: /%.100s", reading->file, key);
    if (json_is_integer(value)) {
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
        text = number;
    }
    if (!setting)
        config_complain(reading, "%s: there is no such setting", from);
    else if (!text)
        config_complain(reading, "%s: must be a text or a whole number", from);
    else
        set(reading, setting, from, text);
}

static void read_file(struct config_reading *reading)
{
    json_error_t at;
    const char *key;
    json_t *value;
    json_t *document = json_load_file(reading->file, JSON_REJECT_DUPLICATES, &at);

    if (!document) {
        if (at.line > 0)
            config_complain(reading, "%s:%d: %s", reading->file, at.line, at.text);
        else
            config_complain(reading, "%s: %s", reading->file, at.text);
        return;
    }
    if (!json_is_object(document))
        config_complain(reading, "%s: must be a JSON object", reading->file);
    json_object_foreach(document, key, value) read_member(reading, key, value);
    json_decref(document);
}

/* ---- the environment ---- */

#define PREFIX "RINKD_"

static void write_variable(const struct setting *setting, char ret_name[NAME_BYTES])
{
    snprintf(ret_name, NAME_BYTES, PREFIX "%s", setting->name);
    for (char *at = ret_name; *at; at++)
        *at = (char)toupper((unsigned char)*at);
}

static void read_environment(struct config_reading *reading)
{
    for (int k = 0; k < SETTINGS; k++) {
        char name[NAME_BYTES];
        write_variable(&settings[k], name);
        const char *text = getenv(name);
        if (text)
            set(reading, &settings[k], name, text);
    }
}

/* True for settings, and for variables of the workers, of the tests, and of Kubernetes for a
 * service named rinkd. */
static bool is_known(const char *name)
{
    static const char *const known[] = {PREFIX "PORT",         PREFIX "SERVICE_HOST",
                                        PREFIX "SERVICE_PORT", PREFIX "MODELS",
                                        PREFIX "WEIGHTS",      NULL};
    static const char *const begins[] = {PREFIX "PORT_", PREFIX "SERVICE_PORT_", PREFIX "TEST_",
                                         NULL};
    char variable[NAME_BYTES];

    for (int k = 0; k < SETTINGS; k++) {
        write_variable(&settings[k], variable);
        if (strcmp(name, variable) == 0)
            return true;
    }
    for (int k = 0; known[k]; k++)
        if (strcmp(name, known[k]) == 0)
            return true;
    for (int k = 0; begins[k]; k++)
        if (strncmp(name, begins[k], strlen(begins[k])) == 0)
            return true;
    return false;
}

void config_log_unknown(void)
{
    for (char **variable = environ; *variable; variable++) {
        char name[NAME_BYTES];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(*variable, "="), *variable);
        if (strncasecmp(name, PREFIX, strlen(PREFIX)) == 0 && !is_known(name))
            log_line(LOG_WARNING, "unknown variable", log_text("name", name),
                     log_text("why", "there is no such setting; names are in capitals"));
    }
}

/* ---- flags ---- */

enum {
    KEY_CONFIG = 'c',
    KEY_ADOPT = FIRST_KEY + SETTINGS,
    KEY_CHECK,
    KEY_HEALTH_CHECK,
    KEY_NEW_TOKEN
};

static void write_flag(const struct setting *setting, char ret_flag[FLAG_BYTES])
{
    snprintf(ret_flag, FLAG_BYTES, "%s", setting->name);
    for (char *at = ret_flag; (at = strchr(at, '_')) != NULL;)
        *at = '-';
}

/* Notes the flags of settings, which count only after the file and the environment. */
static error_t read_flag(int key, char *argument, struct argp_state *state)
{
    struct config_reading *reading = state->input;

    if (key >= FIRST_KEY && key < FIRST_KEY + SETTINGS) {
        reading->flags[key - FIRST_KEY] = argument;
        return 0;
    }
    switch (key) {
    case KEY_CONFIG:
        reading->file = argument;
        return 0;
    case KEY_ADOPT:
        reading->config->adopts = true;
        return 0;
    case KEY_CHECK:
        reading->check = true;
        return 0;
    case KEY_HEALTH_CHECK:
        reading->health_check = true;
        return 0;
    case KEY_NEW_TOKEN:
        reading->new_token = argument;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "there are only options, no argument '%s'", argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const char about[] =
    "The service for curling programs: answers shot queries, runs jobs and keeps their results."
    "\vThe same settings can be in a JSON file, {\"data\":\"FOLDER\",\"workers\":2}, and in the "
    "environment, RINKD_DATA, RINKD_WORKERS; flags count more than the environment, and that more "
    "than the file. The manual page rinkd(1) says more.";

static void parse_flags(struct config_reading *reading, int argc, char **argv)
{
    static const struct argp_option others[] = {
        {"config", KEY_CONFIG, "FILE", 0, "settings as JSON", 0},
        {"adopt", KEY_ADOPT, NULL, 0,
         "start a new database in a folder with files of another one, and move those to lost+found",
         0},
        {"check-config", KEY_CHECK, NULL, 0,
         "check whether rinkd could start, show its settings, and exit", 0},
        {"healthcheck", KEY_HEALTH_CHECK, NULL, 0,
         "check whether the rinkd at --listen is alive, and exit", 0},
        {"new-token", KEY_NEW_TOKEN, "SCOPES[:NAME]", 0,
         "print a new token and its line for --tokens, and exit", 0},
        {0}};
    static char flags[SETTINGS][FLAG_BYTES], helps[SETTINGS][256];
    struct argp_option known[SETTINGS + sizeof others / sizeof *others];

    for (int k = 0; k < SETTINGS; k++) {
        const struct setting *row = &settings[k];
        const char *initial = row->initial && *row->initial ? row->initial : row->initial_words;
        write_flag(row, flags[k]);
        snprintf(helps[k], sizeof helps[k], initial ? "%s (default: %s)" : "%s", row->help,
                 initial);
        known[k] = (struct argp_option){flags[k], FIRST_KEY + k, row->argument, 0, helps[k], 0};
    }
    memcpy(known + SETTINGS, others, sizeof others);
    const struct argp argp = {known, read_flag, NULL, about, NULL, NULL, NULL};
    argp_err_exit_status = 1;
    if (argp_parse(&argp, argc, argv, 0, NULL, reading) != 0)
        exit(1); /* argp ran out of memory; after other errors it exits itself */
}

static void set_from_flags(struct config_reading *reading)
{
    char flag[NAME_BYTES] = "--";

    for (int k = 0; k < SETTINGS; k++)
        if (reading->flags[k]) {
            write_flag(&settings[k], flag + 2);
            set(reading, &settings[k], flag, reading->flags[k]);
        }
}

/* ---- all together ---- */

static void set_defaults(struct config_reading *reading)
{
    struct config *config = reading->config;
    char self[PATH_MAX] = "";
    cpu_set_t set_of_processors;
    int processors = sched_getaffinity(0, sizeof set_of_processors, &set_of_processors) == 0
                         ? CPU_COUNT(&set_of_processors)
                         : 1;

    *config = (struct config){.workers = processors,
                              .search_processes = processors > 1 ? processors / 2 : 1};
    if (readlink("/proc/self/exe", self, sizeof self - 1) > 0)
        snprintf(config->programs, sizeof config->programs, "%s", dirname(self));
    for (int k = 0; k < SETTINGS; k++)
        if (settings[k].initial)
            set(reading, &settings[k], "default", settings[k].initial);
}

static bool is_loopback(const struct config *config)
{
    return strncmp(config->address, "127.", 4) == 0 || strcmp(config->address, "::1") == 0;
}

void config_listen_text(const char *address, int port, char ret_text[CONFIG_LISTEN_MAX])
{
    snprintf(ret_text, CONFIG_LISTEN_MAX, strchr(address, ':') ? "[%s]:%d" : "%s:%d", address,
             port);
}

void config_print(const struct config *config)
{
    json_t *document = json_object(), *tokens = json_array();
    char listen[CONFIG_LISTEN_MAX];

    config_listen_text(config->address, config->port, listen);
    for (int k = 0; k < SETTINGS; k++) {
        const char *member = (const char *)config + settings[k].offset;
        json_t *value = NULL;
        switch (settings[k].type) {
        case SETTING_TEXT:
            value = json_string(member);
            break;
        case SETTING_WHOLE:
            value = json_integer(*(const int *)(const void *)member);
            break;
        case SETTING_LISTEN:
            value = json_string(listen);
            break;
        case SETTING_CHOICE:
            value = json_string(settings[k].choices[*(const int *)(const void *)member]);
            break;
        case SETTING_KEEP:
            value = json_string(((const struct keep *)(const void *)member)->text);
            break;
        }
        json_object_set_new(document, settings[k].name, value);
    }
    for (int k = 0; k < config->token_count; k++)
        json_array_append_new(tokens, config_token_json(&config->tokens[k]));
    json_object_set_new(document, "tokens", tokens);
    json_dumpf(document, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(document);
}

/* "", or parts of a path that no program reads in another way. */
static void check_base_path(struct config_reading *reading)
{
    const char *path = reading->config->base_path;
    size_t length = strlen(path);
    bool good = length == 0 || (path[0] == '/' && path[length - 1] != '/');

    for (size_t k = 0; k < length; k++)
        good = good && (isalnum((unsigned char)path[k]) || path[k] == '-' || path[k] == '_' ||
                        (path[k] == '/' && path[k + 1] != '/'));
    if (!good)
        config_complain(reading,
                        "base_path: must be a path as /rinkd or /curling/rinkd, of "
                        "letters, digits, - and _, not '%s'",
                        path);
}

static void check_tls(struct config_reading *reading)
{
    const struct config *config = reading->config;

    if (!config->tls_certificate[0] != !config->tls_key[0])
        config_complain(reading, "tls_certificate and tls_key belong together: %s is missing",
                        config->tls_key[0] ? "tls_certificate" : "tls_key");
}

/* Refuses settings that contradict each other. */
static void check_slurm(struct config_reading *reading)
{
    const struct config *config = reading->config;

    if (config->slurm_min > config->slurm_max)
        config_complain(reading, "slurm-min: is %d, must be at most slurm-max, which is %d",
                        config->slurm_min, config->slurm_max);
    if (config->slurm_max > 0 && !config->slurm_node[0])
        config_complain(reading, "slurm-max: needs slurm-node, the command that starts a node");
}

/* Reads everything but the tokens. */
static void read_settings(struct config_reading *reading, int argc, char **argv)
{
    set_defaults(reading);
    parse_flags(reading, argc, argv);
    if (reading->file && !reading->failed)
        read_file(reading);
    read_environment(reading);
    set_from_flags(reading);
    check_base_path(reading);
    check_tls(reading);
    if (!reading->failed)
        check_slurm(reading);
}

/* `listening` has the address at which the tokens will be asked for. */
static void read_callers(struct config_reading *reading, const struct config *listening)
{
    if (reading->config->tokens_file[0])
        config_tokens_read(reading, reading->config);
    if (reading->config->token_count == 0 && !is_loopback(listening) && !reading->failed)
        config_complain(reading,
                        "listen: %s can be reached by others; give --tokens FILE (see --new-token)",
                        listening->address);
}

enum config_action config_read(int argc, char **argv, struct config *ret_config)
{
    struct config_reading reading = {.config = ret_config};

    if (sodium_init() < 0)
        return CONFIG_FAILED;
    read_settings(&reading, argc, argv);
    if (reading.new_token && !reading.failed) {
        config_token_make(&reading, reading.new_token);
        return reading.failed ? CONFIG_FAILED : CONFIG_DONE;
    }
    if (reading.health_check)
        return reading.failed ? CONFIG_FAILED : CONFIG_HEALTH_CHECK;
    read_callers(&reading, ret_config);
    if (reading.failed)
        return CONFIG_FAILED;
    return reading.check ? CONFIG_CHECK : CONFIG_RUN;
}

/* Whether two configurations have the same value of a setting. */
static bool is_same(const struct setting *setting, const struct config *a, const struct config *b)
{
    const char *of_a = (const char *)a + setting->offset, *of_b = (const char *)b + setting->offset;

    switch (setting->type) {
    case SETTING_TEXT:
        return strcmp(of_a, of_b) == 0;
    case SETTING_LISTEN:
        return strcmp(a->address, b->address) == 0 && a->port == b->port;
    case SETTING_KEEP:
        return strcmp(((const struct keep *)(const void *)of_a)->text,
                      ((const struct keep *)(const void *)of_b)->text) == 0;
    default:
        return *(const int *)(const void *)of_a == *(const int *)(const void *)of_b;
    }
}

bool config_read_again(int argc, char **argv, const struct config *running,
                       struct config *ret_config)
{
    struct config_reading reading = {.config = ret_config, .is_again = true};

    read_settings(&reading, argc, argv);
    if (!reading.failed)
        read_callers(&reading, running);
    if (reading.failed)
        return false;
    for (int k = 0; k < SETTINGS; k++)
        if (!settings[k].is_live && !is_same(&settings[k], running, ret_config))
            log_line(LOG_WARNING, "setting waits for a restart",
                     log_text("name", settings[k].name));
    return true;
}
