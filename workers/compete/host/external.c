/* Programs of others. See external.h. */
#include "workers/compete/host/external.h"

#include "api/base/load_json.h"
#include "api/base/strict_json.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    MEMORY_MB = 4096,
    MEMORY_MB_MAX = 1 << 20,
    SECONDS_MAX = 86400,
    START_S = 60,
    FILE_BYTES_MAX = 64 << 10
};
#define TIME_S 219.0

/* ---- the file ---- */

/* A name that stays in the folder. */
static bool is_name(const char *name)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";

    return name[0] && strlen(name) < 64 && strspn(name, good) == strlen(name);
}

static json_t *load(const char *path, char ret_why[EXTERNAL_WHY_MAX])
{
    char text[FILE_BYTES_MAX];
    json_error_t wrong = {.text = ""};
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(text, 1, sizeof text, file) : 0;
    bool is_whole = file && !ferror(file) && length < sizeof text;
    json_t *document = is_whole ? load_json(text, length, JSON_REJECT_DUPLICATES, &wrong) : NULL;

    if (!file)
        snprintf(ret_why, EXTERNAL_WHY_MAX, "%.200s", strerror(errno));
    else if (!document)
        snprintf(ret_why, EXTERNAL_WHY_MAX, "%.200s",
                 is_whole ? wrong.text : "cannot be read, or is longer than 64 KB");
    if (file)
        fclose(file);
    return document;
}

static void read_command(const struct strict_place *root, struct external *external)
{
    const struct strict_place command = strict_member(root, "command");

    if (!strict_array(&command, 1, EXTERNAL_WORDS_MAX - 1))
        return;
    external->words = (int)json_array_size(command.value);
    for (int k = 0; k < external->words; k++) {
        const struct strict_place word = strict_element(&command, (size_t)k);
        external->word[k] = "";
        strict_text(&word, EXTERNAL_WORD_MAX, &external->word[k]);
    }
}

bool external_read(const char *folder, const char *name, struct external *ret_external,
                   char ret_why[EXTERNAL_WHY_MAX])
{
    static const char *const keys[] = {"protocol", "command", "folder", "memory_mb",
                                       "cpu_s",    "start_s", "time_s", NULL};
    static const char *const protocols[] = {"dc3", "dc4", NULL};
    struct strict_errors errors = {.count = 0};
    char path[PATH_MAX], why[EXTERNAL_WHY_MAX] = "";
    int protocol = 0;

    *ret_external = (struct external){.memory_mb = MEMORY_MB, .start_s = START_S, .time_s = TIME_S};
    if (!is_name(name) ||
        snprintf(path, sizeof path, "%s/%s.json", folder, name) >= (int)sizeof path) {
        snprintf(ret_why, EXTERNAL_WHY_MAX,
                 "a name has at most 63 letters, digits, hyphens and underscores");
        return false;
    }
    snprintf(ret_external->name, sizeof ret_external->name, "%s", name);
    ret_external->document = load(path, why);
    if (!ret_external->document) {
        snprintf(ret_why, EXTERNAL_WHY_MAX, "external/%.63s.json: %.200s", name, why);
        return false;
    }
    const struct strict_place root = strict_root(ret_external->document, &errors);
    const struct strict_place kind = strict_member(&root, "protocol");
    const struct strict_place where = strict_member(&root, "folder");
    if (strict_object(&root, keys)) {
        strict_choice(&kind, protocols, &protocol);
        read_command(&root, ret_external);
        if (where.value)
            strict_text(&where, PATH_MAX - 1, &ret_external->folder);
        strict_optional_whole(&root, "memory_mb", 0, MEMORY_MB_MAX, &ret_external->memory_mb);
        strict_optional_whole(&root, "cpu_s", 0, SECONDS_MAX, &ret_external->cpu_s);
        strict_optional_whole(&root, "start_s", 1, SECONDS_MAX, &ret_external->start_s);
        strict_optional_number(&root, "time_s", 0.1, SECONDS_MAX, &ret_external->time_s);
    }
    ret_external->protocol = protocol == 0 ? &protocol_dc3 : &protocol_dc4;
    if (errors.count > 0)
        snprintf(ret_why, EXTERNAL_WHY_MAX, "external/%.63s.json: %.60s: %.150s", name,
                 errors.error[0].pointer, errors.error[0].message);
    return errors.count == 0;
}

void external_free(struct external *external)
{
    json_decref(external->document);
    external->document = NULL;
}

/* ---- the program ---- */

/* The word with what its braces stand for; malloc'ed. Unknown braces stay. */
static char *fill_in(const char *word, const struct external_seat *seat)
{
    char number[2][24];
    const struct {
        const char *name, *value;
    } known[] = {{"{host}", seat->host},
                 {"{port}", number[0]},
                 {"{url}", seat->url},
                 {"{match}", seat->match},
                 {"{team}", seat->team == 0 ? "team0" : "team1"},
                 {"{user}", seat->user},
                 {"{password}", seat->password},
                 {"{password_file}", seat->password_file},
                 {"{folder}", seat->folder},
                 {"{seed}", number[1]}};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    snprintf(number[0], sizeof number[0], "%d", seat->port);
    snprintf(number[1], sizeof number[1], "%llu", (unsigned long long)seat->seed);
    while (*word) {
        size_t k = 0;
        while (k < sizeof known / sizeof known[0] &&
               strncmp(word, known[k].name, strlen(known[k].name)) != 0)
            k++;
        if (k < sizeof known / sizeof known[0]) {
            fputs(known[k].value ? known[k].value : "", out);
            word += strlen(known[k].name);
        } else {
            putc(*word++, out);
        }
    }
    return fclose(out) == 0 ? text : NULL;
}

static void limit(int resource, rlim_t most)
{
    const struct rlimit value = {most, most};

    if (most > 0 && setrlimit((__rlimit_resource_t)resource, &value) != 0)
        _exit(127);
}

/* Between fork and exec only what is safe beside other threads. */
static void become(const struct external *external, char *const *argv, char *const *environment,
                   const char *folder, const char *output, pid_t parent)
{
    int in = open("/dev/null", O_RDONLY);
    int out = open(output, O_WRONLY | O_CREAT | O_APPEND, 0600);
    sigset_t none;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    if (getppid() != parent || setpgid(0, 0) != 0 || in < 0 || out < 0 ||
        dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0)
        _exit(127);
    closefrom(STDERR_FILENO + 1);
    limit(RLIMIT_AS, (rlim_t)external->memory_mb << 20);
    limit(RLIMIT_CPU, (rlim_t)external->cpu_s);
    limit(RLIMIT_CORE, 1);
    limit(RLIMIT_FSIZE, EXTERNAL_FILE_MAX);
    if (chdir(folder) == 0)
        execve(argv[0], argv, environment);
    (void)!write(STDERR_FILENO, "the program cannot be started\n", 30);
    _exit(127);
}

pid_t external_start(const struct external *external, const struct external_seat *seat,
                     char ret_why[EXTERNAL_WHY_MAX])
{
    char *argv[EXTERNAL_WORDS_MAX] = {NULL};
    char output[PATH_MAX], path[PATH_MAX], home[PATH_MAX];
    const char *folder = external->folder ? external->folder : seat->folder;
    const char *searched = getenv("PATH"), *at_home = getenv("HOME");
    pid_t parent = getpid(), child = -1;
    bool good = true;

    snprintf(path, sizeof path, "PATH=%s", searched ? searched : "/usr/local/bin:/usr/bin:/bin");
    snprintf(home, sizeof home, "HOME=%s", at_home ? at_home : "/");
    char *const environment[] = {path, home, (char[]){"LANG=C.UTF-8"}, NULL};
    snprintf(output, sizeof output, "%s/team%d.out", seat->folder, seat->team);
    for (int k = 0; k < external->words; k++)
        good = (argv[k] = fill_in(external->word[k], seat)) != NULL && good;
    if (good)
        child = fork();
    if (child == 0)
        become(external, argv, environment, folder, output, parent);
    if (child > 0)
        setpgid(child, child); /* whichever comes first */
    else
        snprintf(ret_why, EXTERNAL_WHY_MAX, "%.63s cannot be started: %s", external->name,
                 strerror(errno));
    for (int k = 0; k < external->words; k++)
        free(argv[k]);
    return child > 0 ? child : 0;
}
