/* Speed and memory of a training as rink-learn does it, including checkpoints and matches. Prints a
 * row for each tenth of it: process size, learning speed, and where the processor time goes. The
 * learner's memories are full after some 2500 ends with the default spec; from then on the process
 * should not grow. */
#include "workers/learn/training/training.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 10 };

struct watch {
    int64_t ends, next, last;
    double cpu_s;   /* at the last row */
    json_t *points; /* the latest values of curves */
};

/* Returns resident memory in MB. */
static double resident_mb(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long size = 0, resident = 0;

    if (file) {
        if (fscanf(file, "%ld %ld", &size, &resident) != 2)
            resident = 0;
        fclose(file);
    }
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static double value_of(const struct watch *watch, const char *name)
{
    return json_number_value(json_object_get(watch->points, name));
}

static void show_progress(void *context, const struct training_progress *progress)
{
    struct watch *watch = context;

    if (progress->ends < watch->next)
        return;
    double cpu_s = value_of(watch, "cpu_s") - watch->cpu_s;
    printf("%8lld %9.1f %9.1f %11.1f %10.0f %10.2f %8.2f %8.2f\n", (long long)progress->ends,
           resident_mb(), value_of(watch, "ends_per_s"),
           cpu_s > 0.0 ? (double)(progress->ends - watch->last) / cpu_s : 0.0,
           value_of(watch, "shots_per_s"), value_of(watch, "share/simulator"),
           value_of(watch, "share/network"), value_of(watch, "share/learner"));
    fflush(stdout);
    watch->next = progress->ends + watch->ends / ROWS;
    watch->last = progress->ends;
    watch->cpu_s += cpu_s;
}

static void take_line(void *context, const json_t *line)
{
    struct watch *watch = context;

    json_object_update(watch->points, json_object_get(line, "points"));
}

static void warn(void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "%s\n", text);
}

static int run(const struct train_plan *plan)
{
    char folder[] = "/tmp/rinkd-bench-XXXXXX", command[64], error[TRAIN_ERROR_MAX];
    struct watch watch = {.ends = plan->iterations, .points = json_object()};
    struct training training = {
        .plan = plan, .folder = mkdtemp(folder), .run = {"bench"}, .is_alone = true};
    atomic_bool stop = false;
    const struct training_sink sink = {.context = &watch,
                                       .stop = &stop,
                                       .say = take_line,
                                       .progress = show_progress,
                                       .warn = warn};
    json_t *result = NULL;

    printf("%8s %9s %9s %11s %10s %10s %8s %8s\n", "ends", "MB", "ends/s", "ends/cpu s", "shots/s",
           "simulator", "network", "learner");
    if (training.folder)
        training.journal = train_journal_open(training.folder, TRAIN_JOURNAL_NAME, error);
    enum train_status status =
        training.journal ? training_run(&training, &sink, &result, error) : TRAIN_DISK;
    train_journal_close(training.journal);
    if (status == TRAIN_OK)
        printf("%8s %9.1f\n", "end", resident_mb());
    else
        fprintf(stderr, "%s\n", training.folder ? error : "no folder in /tmp");
    json_decref(result);
    json_decref(watch.points);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 && status == TRAIN_OK ? 0 : 1;
}

static int bench(int64_t ends, const char *algorithm, int candidates)
{
    struct train_plan plan;
    json_int_t every = ends / 4 + 1;
    json_t *hyper = json_object(),
           *spec =
               json_pack("{s:s, s:o, s:I, s:I, s:I, s:i, s:i}", "algorithm", algorithm, "hyper",
                         hyper, "iterations", (json_int_t)ends, "evaluate_every", every,
                         "checkpoint_every", every, "evaluate_pairs", 10, "keep_checkpoints", 1);
    if (strncmp(algorithm, "nfsp", 4) == 0) {
        json_object_set_new(hyper, "response_memory", json_integer(20000));
        json_object_set_new(hyper, "average_memory", json_integer(2000));
        json_object_set_new(hyper, "candidates", json_integer(candidates));
    } else if (strcmp(algorithm, "dqn") == 0) {
        json_object_set_new(hyper, "memory", json_integer(20000));
    }
    char path[] = "/tmp/bench_training_XXXXXX";
    int file = mkstemp(path);
    bool good = file >= 0 && json_dumpfd(spec, file, 0) == 0 &&
                train_plan_load("bench_training", path, &plan);
    if (file >= 0) {
        close(file);
        unlink(path);
    }
    json_decref(spec);
    if (!good)
        return 1;
    int status = run(&plan);
    train_plan_free(&plan);
    return status;
}

int main(int argc, char **argv)
{
    static const struct option flags[] = {{"ends", required_argument, NULL, 'e'},
                                          {"algorithm", required_argument, NULL, 'a'},
                                          {"candidates", required_argument, NULL, 'c'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    const char *algorithm = "nfsp";
    int64_t ends = 5000;
    int candidates = 0;

    for (int flag; (flag = getopt_long(argc, argv, "", flags, NULL)) != -1;) {
        if (flag == 'e')
            ends = strtoll(optarg, NULL, 10);
        else if (flag == 'a')
            algorithm = optarg;
        else if (flag == 'c')
            candidates = atoi(optarg);
        else {
            printf("%s [--ends N (5000)] [--algorithm NAME (nfsp)] [--candidates N (0)]\n", *argv);
            return flag == 'h' ? 0 : 1;
        }
    }
    return bench(ends, algorithm, candidates);
}
