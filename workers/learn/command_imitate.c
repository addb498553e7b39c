/* rink-learn imitate: trains a policy with scores on a teacher's play, for players that search with
 * such a policy. */
#include "models/tables/architectures.h"
#include "models/tables/profiles.h"
#include "workers/learn/command.h"
#include "workers/learn/imitation/imitate.h"
#include "workers/learn/training/train_file.h"
#include "workers/options.h"
#include "workers/progress.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 256 };

struct options {
    const char *to, *teacher;
    struct imitate_play play;
    struct imitate_fit fit;
    struct policy_form form;
};

static const char about[] =
    "Train a policy, and a prediction of the end's score, to imitate a player. The players "
    "kr-dl-uct and dl-uct search with such a policy."
    "\vPrints for each epoch how well both seats' networks predict the last twentieth of the "
    "examples, which is held out. The player policy:weights=FILE plays the policy.";

static void read_hidden(struct argp_state *state, const char *text, void *field)
{
    int *hidden = field, count = 0;
    char copy[64], *rest = copy, *part;

    memset(hidden, 0, NET_HIDDEN_MAX * sizeof *hidden);
    if (snprintf(copy, sizeof copy, "%s", text) >= (int)sizeof copy)
        argp_error(state, "--hidden is too long");
    while ((part = strsep(&rest, ",")) != NULL) {
        if (count == NET_HIDDEN_MAX)
            argp_error(state, "--hidden: at most %d numbers", NET_HIDDEN_MAX);
        else
            hidden[count++] = (int)option_whole(state, "hidden", part, 1, 16384);
    }
}

static void read_profile(struct argp_state *state, const char *name, void *field)
{
    struct options *options = field;

    options->play.rules = rules_find(name);
    if (!options->play.rules || options->play.rules->preplaced > 0)
        argp_error(state, "--profile: '%s' is unknown or places stones before the first shot",
                   name);
    snprintf(options->form.profile, sizeof options->form.profile, "%s", name);
}

static void read_architecture(struct argp_state *state, const char *name, void *field)
{
    struct policy_form *form = field;

    if (!policy_sees_of(name, &form->sees))
        argp_error(state, "--architecture: there is no '%s'", name);
    snprintf(form->architecture, sizeof form->architecture, "%s", name);
}

#define AT(field) offsetof(struct options, field)

static const struct option_row rows[] = {
    {"to", 'o', "FILE", OPTION_TEXT, AT(to),
     .about = "file for the policy, NAME.safetensors (required)"},
    {"teacher", 'a', "PLAYER", OPTION_TEXT, AT(teacher), .group = 1,
     .about = "the player to imitate (default {default})"},
    {"profile", 'p', "NAME", OPTION_READ, 0, .read = read_profile, .group = 1,
     .about = "rules and ice: {profiles} (default: the first one)"},
    {"ends", 'e', "N", OPTION_INT64, AT(play.ends), .least = 1, .most = 10000000, .group = 1,
     .about = "ends that the teacher plays against itself (default {default})"},
    {"random-share", '\0', "SHARE", OPTION_NUMBER, AT(play.random_share), .most_number = 1.0,
     .group = 1, .about = "share of the ends that start with random shots (default {default})"},
    {"temperature", '\0', "VALUE", OPTION_NUMBER, AT(play.temperature), .least_number = 1e-6,
     .most_number = 1e6, .group = 1,
     .about = "a shot whose value is this much below the best counts about a third as much "
              "(default {default})"},
    {"architecture", 'A', "NAME", OPTION_READ, AT(form), .read = read_architecture, .group = 2,
     .about = "one of {architectures} (default: the first one)"},
    {"hidden", 'H', "WIDTHS", OPTION_READ, AT(form.hidden), .read = read_hidden, .group = 2,
     .about = "widths of the layers, or the channels (default: as in a training, see GET "
              "/v1/schemas/train)"},
    {"epochs", 'E', "N", OPTION_INT, AT(fit.epochs), .least = 1, .most = 100000, .group = 3,
     .about = "passes over all examples (default {default})"},
    {"batch", 'b', "N", OPTION_INT, AT(fit.batch), .least = 1, .most = IMITATE_BATCH_MAX,
     .group = 3, .about = "examples per update (default {default})"},
    {"rate", 'R', "RATE", OPTION_NUMBER, AT(fit.rate), .least_number = 1e-9, .most_number = 1e3,
     .group = 3, .about = "learning rate of Adam at the start (default {default})"},
    {"device", 'd', "NAME", OPTION_TEXT, AT(fit.device), .group = 3,
     .about = "cpu (default), cuda or auto"},
    {"seed", 'S', "NUMBER", OPTION_UINT64, AT(play.seed), .most = UINT64_MAX, .group = 4,
     .about = "seed of all random numbers (default {default})"},
    {"threads", 'j', "N", OPTION_INT, AT(play.threads), .least = 1, .most = THREADS_MAX, .group = 4,
     .about = "ends played in parallel (default: one per processor)"},
    {0},
};

/* Checks the options together. */
static void finish(struct argp_state *state, void *target)
{
    struct options *options = target;
    struct policy_form *form = &options->form;
    char error[PLAYER_ERROR_MAX];

    if (!options->to || strlen(options->to) < 1)
        argp_error(state, "--to is missing");
    options->play.ice = profile_of(options->play.rules)->ice;
    options->play.noise = noise_default(options->play.ice, options->play.ice->noise);
    if (!player_read(options->teacher, &options->play.teacher, sizeof error, error))
        argp_error(state, "--teacher: %s", error);
    if (form->hidden[0] == 0)
        memcpy(form->hidden, network_architecture_find(form->architecture)->sizes,
               sizeof form->hidden);
    if (policy_form_check(form, error) != NET_OK)
        argp_error(state, "%s", error);
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

/* Writes the policy to `to` and prints its SHA-256. */
static bool write_policy(const struct options *options, struct net *const net[2], char *ret_error)
{
    char sha256[TRAIN_SHA256_MAX], error[TRAIN_ERROR_MAX];
    unsigned char *bytes;
    size_t size;

    if (policy_write(&options->form, net[0], net[1], &bytes, &size, ret_error) != NET_OK)
        return false;
    bool good = train_file_write_bytes(options->to, bytes, size, sha256, error) == TRAIN_OK;
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
    const struct option_parser parser = {.about = about,
                                         .tables = {{rows, &options, finish, NULL}}};
    char error[IMITATE_ERROR_MAX];

    policy_sees_of(options.form.architecture, &options.form.sees);
    if (!options_parse(&parser, argc, argv))
        return EXIT_TROUBLE;
    options.form.step = options.play.ends;
    if (imitate(&options, error))
        return EXIT_GOOD;
    command_complain(argv[0], error);
    return atomic_load(&command_cancel) ? EXIT_INTERRUPTED : EXIT_TROUBLE;
}
