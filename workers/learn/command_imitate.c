/* rink-learn imitate: a policy with scores from a teacher's play, for players that search with
 * one. */
#include "models/tables/architectures.h"
#include "models/tables/profiles.h"
#include "workers/learn/command.h"
#include "workers/learn/imitation/imitate.h"
#include "workers/learn/training/train_file.h"
#include "workers/option_values.h"
#include "workers/progress.h"

#include <argp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEY_TO = 'o',
    KEY_TEACHER = 'a',
    KEY_PROFILE = 'p',
    KEY_ENDS = 'e',
    KEY_ARCHITECTURE = 'A',
    KEY_HIDDEN = 'H',
    KEY_EPOCHS = 'E',
    KEY_BATCH = 'b',
    KEY_RATE = 'R',
    KEY_DEVICE = 'd',
    KEY_SEED = 'S',
    KEY_THREADS = 'j',
    KEY_RANDOM = 0x100,
    KEY_TEMPERATURE,
    THREADS_MAX = 256
};

struct options {
    const char *to, *teacher;
    struct imitate_play play;
    struct imitate_fit fit;
    struct policy_form form;
};

static const struct argp_option known[] = {
    {"to", KEY_TO, "FILE", 0, "where the policy is written, NAME.safetensors (needed)", 0},
    {"teacher", KEY_TEACHER, "PLAYER", 0,
     "the player to imitate (default rink:simulations=4000,objective=score)", 1},
    {"profile", KEY_PROFILE, "NAME", 0, "rules and ice: {profiles} (default: the first one)", 1},
    {"ends", KEY_ENDS, "N", 0, "ends that the teacher plays against itself (default 1000)", 1},
    {"random-share", KEY_RANDOM, "SHARE", 0,
     "of the ends begins with some shots of random play (default 0.3)", 1},
    {"temperature", KEY_TEMPERATURE, "VALUE", 0,
     "difference in the teacher's value at which a shot counts a third of the best one (default "
     "0.05)",
     1},
    {"architecture", KEY_ARCHITECTURE, "NAME", 0, "one of {architectures} (default: the first one)",
     2},
    {"hidden", KEY_HIDDEN, "WIDTHS", 0,
     "widths of the layers, or the channels (default: as in a training, which GET "
     "/v1/schemas/train "
     "tells)",
     2},
    {"epochs", KEY_EPOCHS, "N", 0, "times that all examples are learned from (default 20)", 3},
    {"batch", KEY_BATCH, "N", 0, "examples of one update (default 256)", 3},
    {"rate", KEY_RATE, "RATE", 0, "of Adam at the beginning (default 0.001)", 3},
    {"device", KEY_DEVICE, "NAME", 0, "cpu (default), cuda or auto", 3},
    {"seed", KEY_SEED, "NUMBER", 0, "of all luck (default 1)", 4},
    {"threads", KEY_THREADS, "N", 0, "ends side by side (default: one for each processor)", 4},
    {0},
};

static const char about[] =
    "Learn a policy, and how ends turn out, from what a player does: the beginning of "
    "self-learning, and what kr-dl-uct and dl-uct search with."
    "\vPrints for each epoch what both seats' networks make of the last twentieth of the examples, "
    "which they do not learn from. FILE is a model: policy:weights=FILE plays by it.";

static void read_hidden(struct argp_state *state, const char *text, int ret_hidden[NET_HIDDEN_MAX])
{
    memset(ret_hidden, 0, NET_HIDDEN_MAX * sizeof *ret_hidden);
    for (int k = 0;; k++) {
        char part[16];
        size_t length = strcspn(text, ",");
        if (k == NET_HIDDEN_MAX || length >= sizeof part) {
            argp_error(state, "--hidden: at most %d numbers", NET_HIDDEN_MAX);
            return;
        }
        memcpy(part, text, length);
        part[length] = '\0';
        ret_hidden[k] = (int)option_whole(state, "hidden", part, 1, 16384);
        if (text[length] == '\0')
            return;
        text += length + 1;
    }
}

static void read_profile(struct argp_state *state, const char *name, struct options *options)
{
    options->play.rules = rules_find(name);
    if (!options->play.rules || options->play.rules->preplaced > 0)
        argp_error(state, "--profile: '%s' is not one without placed stones", name);
    snprintf(options->form.profile, sizeof options->form.profile, "%s", name);
}

/* Checks the options together. */
static void finish(struct argp_state *state, struct options *options)
{
    struct policy_form *form = &options->form;
    char error[PLAYER_ERROR_MAX];

    if (!options->to || strlen(options->to) < 1)
        argp_error(state, "--to is missing");
    options->play.ice = profile_of(options->play.rules)->ice;
    options->play.noise = noise_default(options->play.ice, options->play.ice->noise);
    if (!player_read(options->teacher, &options->play.teacher, sizeof error, error))
        argp_error(state, "--teacher: %s", error);
    if (!policy_sees_of(form->architecture, &form->sees))
        argp_error(state, "--architecture: there is no '%s'", form->architecture);
    if (form->hidden[0] == 0)
        memcpy(form->hidden, network_architecture_find(form->architecture)->sizes,
               sizeof form->hidden);
    if (policy_form_check(form, error) != NET_OK)
        argp_error(state, "%s", error);
}

static error_t read_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case KEY_TO:
        options->to = argument;
        return 0;
    case KEY_TEACHER:
        options->teacher = argument;
        return 0;
    case KEY_PROFILE:
        read_profile(state, argument, options);
        return 0;
    case KEY_ENDS:
        options->play.ends = (int64_t)option_whole(state, "ends", argument, 1, 10000000);
        return 0;
    case KEY_RANDOM:
        options->play.random_share = option_number(state, "random-share", argument, 0.0, 1.0);
        return 0;
    case KEY_TEMPERATURE:
        options->play.temperature = option_number(state, "temperature", argument, 1e-6, 1e6);
        return 0;
    case KEY_ARCHITECTURE:
        snprintf(options->form.architecture, sizeof options->form.architecture, "%s", argument);
        return 0;
    case KEY_HIDDEN:
        read_hidden(state, argument, options->form.hidden);
        return 0;
    case KEY_EPOCHS:
        options->fit.epochs = (int)option_whole(state, "epochs", argument, 1, 100000);
        return 0;
    case KEY_BATCH:
        options->fit.batch = (int)option_whole(state, "batch", argument, 1, IMITATE_BATCH_MAX);
        return 0;
    case KEY_RATE:
        options->fit.rate = option_number(state, "rate", argument, 1e-9, 1e3);
        return 0;
    case KEY_DEVICE:
        options->fit.device = argument;
        return 0;
    case KEY_SEED:
        options->play.seed = option_whole(state, "seed", argument, 0, UINT64_MAX);
        return 0;
    case KEY_THREADS:
        options->play.threads = (int)option_whole(state, "threads", argument, 1, THREADS_MAX);
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s' is not an option", argument);
        return 0;
    case ARGP_KEY_SUCCESS:
        finish(state, options);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void show_ends(void *context, int64_t ends)
{
    progress_update(context, ends, false, "ends");
}

static void show_epoch(void *context, const struct imitate_report *report)
{
    (void)context;
    for (int s = 0; s < 2; s++)
        printf("%5d  %-5s %8zu %9.4f %9.4f %9.4f %7.1f %% %7.1f %%\n", report->epoch,
               s == SEAT_SENTE ? "sente" : "gote", report->examples[s], report->action_loss[s],
               report->action_floor[s], report->score_loss[s], 100.0 * report->first[s],
               100.0 * report->twentieth[s]);
    fflush(stdout);
}

/* The folder and the name of a path. */
static bool write_policy(const struct options *options, struct net *const net[2], char *ret_error)
{
    char folder[TRAIN_PATH_MAX], sha256[TRAIN_SHA256_MAX], error[TRAIN_ERROR_MAX];
    const char *slash = strrchr(options->to, '/');
    const char *name = slash ? slash + 1 : options->to;
    unsigned char *bytes;
    size_t size;

    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - options->to) + 1 : 1,
             slash ? options->to : ".");
    if (policy_write(&options->form, net[0], net[1], &bytes, &size, ret_error) != NET_OK)
        return false;
    bool good = train_file_write_bytes(folder, name, bytes, size, sha256, error) == TRAIN_OK;
    free(bytes);
    if (good)
        printf("%s  %s\n", sha256, options->to);
    else
        snprintf(ret_error, IMITATE_ERROR_MAX, "%.*s", IMITATE_ERROR_MAX - 1, error);
    return good;
}

static bool imitate(struct options *options, char *ret_error)
{
    struct progress progress = progress_start(options->play.ends);
    struct imitate_example *examples = NULL;
    struct net *net[2];
    size_t count = 0;

    options->play.progress = show_ends;
    options->play.context = &progress;
    bool good = imitate_play(&options->play, &examples, &count, ret_error);
    progress_end(&progress);
    if (!good)
        return false;
    printf("%zu examples of %s\n", count, options->teacher);
    printf("epoch  seat  held out   actions  at least    scores     first  among 20\n");
    options->fit.seed = options->play.seed;
    good = imitate_fit(&options->fit, &options->form, examples, count, show_epoch, NULL, net,
                       ret_error);
    free(examples);
    if (!good)
        return false;
    good = write_policy(options, net, ret_error);
    net_free(net[0]);
    net_free(net[1]);
    return good;
}

int command_imitate(int argc, char **argv)
{
    const struct argp argp = {known, read_option, NULL, about, NULL, option_help, NULL};
    struct options options = {
        .teacher = "rink:simulations=4000,objective=score",
        .play = {.rules = &profile_at(0)->rules,
                 .ends = 1000,
                 .random_share = 0.3,
                 .temperature = 0.05,
                 .seed = 1,
                 .threads = option_processors(THREADS_MAX),
                 .cancel = &command_cancel},
        .fit = {.epochs = 20,
                .batch = 256,
                .rate = 1e-3,
                .decay = 1e-2,
                .held_out = 0.05,
                .device = "cpu",
                .cancel = &command_cancel},
        .form = {.profile = "dc2",
                 .architecture = "lines",
                 .outputs = POLICY_LOGITS,
                 .actions = POLICY_ACTIONS,
                 .has_scores = true,
                 .algorithm = "imitate",
                 .policy = "policy",
                 .step = -1},
    };
    char error[IMITATE_ERROR_MAX];

    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0)
        return EXIT_TROUBLE;
    options.form.step = options.play.ends;
    if (imitate(&options, error))
        return EXIT_GOOD;
    command_complain(argv[0], error);
    return atomic_load(&command_cancel) ? EXIT_INTERRUPTED : EXIT_TROUBLE;
}
