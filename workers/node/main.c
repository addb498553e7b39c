/* rink-node: does tasks of a rinkd on another machine. Reads the command line and what this machine
 * can do; node.h has the rest. */
#include "workers/node/node.h"

#include "api/base/load_json.h"
#include "api/base/next_line.h"
#include "api/base/output.h"
#include "api/jobs/wire.h"
#include "workers/command.h"
#include "workers/options.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <curl/curl.h>
#include <err.h>
#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <unistd.h>

const char *argp_program_version = "rink-node " RINKD_VERSION;

enum { TOKEN_MAX = 512, WHY_MAX = 512, NAME_MOST = 63 };

#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

static const char about[] =
    "Do tasks of a rinkd on this machine: parts of matches, tournaments, measurements and "
    "trainings. "
    "The node only calls the service and is never called, so it works behind a firewall. SIGTERM "
    "gives its tasks back.\v"
    "The manual page rink-node(1) says more.";

static const struct option_row rows[] = {
    {"url", 'u', "URL", OPTION_TEXT, offsetof(struct node_options, url),
     .about = "of the service (default: RINKD_URL, or http://127.0.0.1:8080)"},
    {"name", 'n', "NAME", OPTION_TEXT, offsetof(struct node_options, name),
     .about = "of this node, unlike all others (default: the name of the machine)"},
    {"cores", 'c', "N", OPTION_INT, offsetof(struct node_options, cores), .least = 1,
     .most = NODE_CORES_MAX, .about = "that it gives (default: {default}, all of this machine)"},
    {"kinds", 'k', "KIND,...", OPTION_TEXT, offsetof(struct node_options, kinds),
     .about = "of jobs whose tasks it takes (default: all)"},
    {"until-idle", 'i', "SECONDS", OPTION_INT, offsetof(struct node_options, until_idle_s),
     .least = 0, .most = 1 << 30, .about = "end after this time without a task (default: never)"},
    {"token-file", 't', "FILE", OPTION_TEXT, offsetof(struct node_options, token_file),
     .about = "a token with the scope work in its first line (default: RINKD_TOKEN)"},
    {"ca-file", 'a', "FILE", OPTION_TEXT, offsetof(struct node_options, ca_file),
     .about = "certificates to check the service by (default: RINKD_CA_FILE, or the system's)"},
    {"insecure", 'I', NULL, OPTION_FLAG, offsetof(struct node_options, insecure),
     .about = "send the token unencrypted to another machine"},
    {"cache", 'C', "FOLDER", OPTION_TEXT, offsetof(struct node_options, cache),
     .about = "for files and tasks; one node at a time uses it (default: below "
              "~/.cache/rink-node)"},
    {"cache-mb", 'm', "N", OPTION_INT, offsetof(struct node_options, cache_mb), .least = 1,
     .most = 1 << 30, .about = "that files nobody needs now may take (default: {default})"},
    {"programs", 'p', "FOLDER", OPTION_TEXT, offsetof(struct node_options, programs),
     .about = "where rink-evaluate and rink-learn are (default: beside this program)"},
    {"place", 'P', "TEXT", OPTION_TEXT, offsetof(struct node_options, place),
     .about = "shown with the node: who started it, such as a batch job"},
    {0},
};

static bool complain(const char *format, const char *what)
{
    fprintf(stderr, "rink-node: ");
    fprintf(stderr, format, what);
    fputc('\n', stderr);
    return false;
}

/* ---- the address ---- */

static bool is_loopback(const char *host)
{
    struct in_addr v4;

    return strcasecmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0 ||
           (inet_pton(AF_INET, host, &v4) == 1 && ntohl(v4.s_addr) >> 24 == 127);
}

/* Checks the URL and returns it without a final slash, malloc'ed. NULL after a complaint. */
static char *read_url(const struct node_options *options)
{
    CURLU *url = curl_url();
    char *scheme = NULL, *host = NULL, *whole = NULL, *copy = NULL;
    bool good = url && curl_url_set(url, CURLUPART_URL, options->url, 0) == CURLUE_OK &&
                curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
                curl_url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
                curl_url_get(url, CURLUPART_URL, &whole, 0) == CURLUE_OK;

    if (!good || (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0)) {
        complain("--url must be like https://host:8080, not '%s'", options->url);
    } else if (strcmp(scheme, "http") == 0 && !options->insecure && !is_loopback(host)) {
        complain("%s: the token would be sent unencrypted to another machine; use https, or give "
                 "--insecure",
                 options->url);
    } else {
        copy = strdup(whole);
        for (size_t k = copy ? strlen(copy) : 0; k > 0 && copy[k - 1] == '/'; k--)
            copy[k - 1] = '\0';
    }
    curl_free(scheme);
    curl_free(host);
    curl_free(whole);
    curl_url_cleanup(url);
    return copy;
}

static bool read_token(const struct node_options *options, char ret_token[TOKEN_MAX])
{
    const char *text = getenv("RINKD_TOKEN");
    char line[TOKEN_MAX + 2] = "";

    *ret_token = '\0';
    if (options->token_file) {
        FILE *file = fopen(options->token_file, "re");
        if (!file) {
            fprintf(stderr, "rink-node: --token-file %s: %s\n", options->token_file,
                    strerror(errno));
            return false;
        }
        bool is_read = first_line(file, line, sizeof line) >= 0;
        int why = errno;
        fclose(file);
        if (!is_read) {
            fprintf(stderr, "rink-node: --token-file %s: %s\n", options->token_file, strerror(why));
            return false;
        }
        text = line;
    }
    size_t length = text ? strcspn(text, "\r\n") : 0;
    if (options->token_file && length == 0)
        return complain("--token-file %s: there is no token in its first line",
                        options->token_file);
    if (length >= TOKEN_MAX)
        return complain("%s: the token is too long",
                        options->token_file ? options->token_file : "RINKD_TOKEN");
    if (text)
        memcpy(ret_token, text, length);
    ret_token[length] = '\0';
    return true;
}

/* ---- what this machine can do ---- */

/* Adds the golden numbers of a program to `node`; without the program there are none, and the
 * service then gives no tasks for it. */
static bool measure(struct node *node, const char *program)
{
    char path[PROCESS_PATH_MAX];
    const char *name;
    json_t *value;

    if (!process_find(node->options->programs, program, path)) {
        node_say("there is no %s in %s", program, node->options->programs);
        return true;
    }
    char *text = process_output(path, "golden");
    json_t *document = text ? load_json_text(text) : NULL;
    bool good = json_is_object(json_object_get(document, "golden"));
    free(text);
    json_object_foreach(json_object_get(document, "golden"), name, value) good =
        json_object_set(node->golden, name, value) == 0 && good;
    good = good && json_object_set_new(node->versions, program,
                                       json_incref(json_object_get(document, "version"))) == 0;
    if (json_is_number(json_object_get(document, "shots_per_s")))
        node->shots_per_s = json_number_value(json_object_get(document, "shots_per_s"));
    json_decref(document);
    return good || complain("%s golden does not work", path);
}

static bool measure_all(struct node *node)
{
    struct utsname machine;

    node->shots_per_s = NAN;
    node->golden = json_object();
    node->versions = json_pack("{s:s, s:i}", "rink-node", RINKD_VERSION, "protocol", WIRE_PROTOCOL);
    if (!node->golden || !node->versions)
        return complain("%s", "out of memory");
    if (uname(&machine) == 0)
        json_object_set_new(node->versions, "machine", json_string(machine.machine));
    return measure(node, "rink-evaluate") && measure(node, "rink-learn");
}

/* ---- defaults ---- */

static void finish_options(struct argp_state *state, void *target)
{
    struct node_options *options = target;

    if (strlen(options->name) > NAME_MOST ||
        strspn(options->name, NAME_LETTERS) != strlen(options->name) ||
        !isalnum((unsigned char)options->name[0]))
        argp_error(
            state,
            "--name has 1 to %d letters, digits and -_. and begins with a letter or a digit, "
            "not '%s'",
            NAME_MOST, options->name);
}

static void set_defaults(struct node_options *options)
{
    static char name[NAME_MOST + 1], cache[PATH_MAX], programs[PATH_MAX];
    const char *home = getenv("HOME"), *url = getenv("RINKD_URL");
    char self[PATH_MAX] = "";

    if (gethostname(name, sizeof name - 1) != 0 || !name[0])
        snprintf(name, sizeof name, "node");
    if (readlink("/proc/self/exe", self, sizeof self - 1) > 0)
        snprintf(programs, sizeof programs, "%s", dirname(self));
    *options = (struct node_options){.url = url && *url ? url : "http://127.0.0.1:8080",
                                     .name = name,
                                     .ca_file = getenv("RINKD_CA_FILE"),
                                     .cache = cache,
                                     .programs = programs,
                                     .cores = option_processors(NODE_CORES_MAX),
                                     .cache_mb = 10000};
    snprintf(cache, sizeof cache, "%s/.cache/rink-node", home && *home ? home : "/tmp");
}

/* The default folder has a part for each node of this machine. */
static void name_cache(struct node_options *options, const char *initial)
{
    static char path[PATH_MAX + NAME_MOST + 2];

    if (options->cache != initial)
        return;
    snprintf(path, sizeof path, "%s/%s", initial, options->name);
    options->cache = path;
}

static int open_signals(void)
{
    sigset_t signals;

    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

static bool set_up(struct node *node, const struct node_options *options)
{
    char token[TOKEN_MAX], why[WHY_MAX];
    char *url = read_url(options);

    if (!url || !read_token(options, token)) {
        free(url);
        return false;
    }
    const struct client_settings settings = {url, token, options->ca_file};
    node->client = client_new(&settings);
    free(url);
    if (!node->client)
        return complain("%s", "out of memory");
    node->cache = cache_open(options->cache, (int64_t)options->cache_mb * 1000000, why, sizeof why);
    if (!node->cache)
        return complain("%s", why);
    return measure_all(node);
}

int main(int argc, char **argv)
{
    static struct node_options options;
    static struct node node = {.options = &options};
    const struct option_parser parser = {.about = about,
                                         .tables = {{rows, &options, finish_options, NULL}}};

    output_check_at_exit();
    load_json_begin();
    set_defaults(&options);
    const char *cache = options.cache;
    if (!options_parse(&parser, argc, argv))
        return EXIT_TROUBLE;
    name_cache(&options, cache);
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        errx(EXIT_TROUBLE, "libcurl cannot be set up");
    int status = EXIT_TROUBLE;
    if (set_up(&node, &options)) {
        node.signal_fd = open_signals();
        if (node.signal_fd >= 0)
            status = node_run(&node);
        close(node.signal_fd);
        node_say("node %s has ended", options.name);
    }
    client_free(node.client);
    cache_close(node.cache);
    json_decref(node.golden);
    json_decref(node.versions);
    curl_global_cleanup();
    return status;
}
