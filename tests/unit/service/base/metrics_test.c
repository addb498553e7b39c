/* The page of metrics, parsed as Prometheus parses it. */
#include "service/base/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct metrics *metrics;

/* Returns the page; the caller frees it. */
static char *page_of(void)
{
    static char *text; /* static: the stream keeps its address */
    static size_t size;
    FILE *page = open_memstream(&text, &size);

    assert_non_null(page);
    fputc('\n', page); /* each sample starts a line */
    metrics_write(metrics, page);
    assert_int_equal(fclose(page), 0);
    return text;
}

static int open_metrics(void **state)
{
    (void)state;
    metrics = metrics_open();
    return metrics ? 0 : -1;
}

static int close_metrics(void **state)
{
    (void)state;
    metrics_close(metrics);
    return 0;
}

/* Returns the value after the name with its labels, at the start of a line. */
static double value_of(const char *page, const char *name)
{
    char line[200];

    snprintf(line, sizeof line, "\n%s ", name);
    const char *found = strstr(page, line);
    if (!found)
        fail_msg("%s is not there", name);
    return strtod(found + strlen(line), NULL);
}

static void counts_and_times_are_listed(void **state)
{
    (void)state;
    metrics_count(metrics, METRIC_REQUESTS_4XX, 2);
    metrics_count(metrics, METRIC_REQUESTS_4XX, 1);
    metrics_observe(metrics, METRIC_REQUEST_S, 0.0007);
    metrics_observe(metrics, METRIC_REQUEST_S, 0.001); /* equal to the bound: belongs to the
                                                        * bucket */
    metrics_observe(metrics, METRIC_REQUEST_S, 100.0);
    char *page = page_of();
    assert_non_null(page);
    assert_true(value_of(page, "rinkd_requests_total{status=\"4xx\"}") == 3);
    assert_true(value_of(page, "rinkd_requests_total{status=\"2xx\"}") == 0);
    assert_true(value_of(page, "rinkd_request_seconds_bucket{le=\"0.0005\"}") == 0);
    assert_true(value_of(page, "rinkd_request_seconds_bucket{le=\"0.001\"}") == 2);
    assert_true(value_of(page, "rinkd_request_seconds_bucket{le=\"10\"}") == 2);
    assert_true(value_of(page, "rinkd_request_seconds_bucket{le=\"+Inf\"}") == 3);
    assert_true(value_of(page, "rinkd_request_seconds_count") == 3);
    assert_float_equal(value_of(page, "rinkd_request_seconds_sum"), 100.0017, 1e-6);
    assert_true(value_of(page, "process_resident_memory_bytes") > 0);
    assert_true(value_of(page, "process_open_fds") > 0);
    free(page);
}

/* Each sample belongs to the TYPE line above it; each TYPE appears once, after its HELP. */
static void each_sample_has_a_type(void **state)
{
    char *page = page_of(), *rest = page + 1, *line;
    char name[100] = "", helped[100] = "", seen[8192] = " ";
    int samples = 0;

    (void)state;
    assert_non_null(page);
    assert_int_equal(page[strlen(page) - 1], '\n');
    while ((line = strsep(&rest, "\n")) != NULL && *line) {
        if (sscanf(line, "# HELP %99s", helped) == 1) {
            assert_true(strlen(line) > strlen("# HELP ") + strlen(helped) + 1);
        } else if (sscanf(line, "# TYPE %99s", name) == 1) {
            assert_string_equal(name, helped);
            char word[sizeof name + 2];
            snprintf(word, sizeof word, " %s ", name);
            assert_null(strstr(seen, word));
            strcat(seen, word + 1);
            const char *type = strrchr(line, ' ') + 1;
            bool counts = strlen(name) > 6 && strcmp(name + strlen(name) - 6, "_total") == 0;
            assert_int_equal(counts, strcmp(type, "counter") == 0);
        } else {
            assert_int_equal(strncmp(line, name, strlen(name)), 0);
            samples++;
        }
    }
    assert_true(samples > METRIC_COUNTERS);
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(counts_and_times_are_listed, open_metrics, close_metrics),
        cmocka_unit_test_setup_teardown(each_sample_has_a_type, open_metrics, close_metrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
