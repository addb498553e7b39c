/* The files of this folder as texts. */
#include "schema/schema.h"

/* The assembler embeds a file and appends a final 0. */
#define EMBED(symbol, file)                                                                   \
    __asm__(".section .rodata\n.global " #symbol "\n" #symbol ":\n.incbin \"" SCHEMA "/" file \
            "\"\n.byte 0\n.previous\n");                                                      \
    extern const char symbol[];

EMBED(schema_0001, "0001_jobs.sql")
EMBED(schema_0002, "0002_runs.sql")
EMBED(schema_0003, "0003_registry.sql")
EMBED(schema_0004, "0004_results.sql")
EMBED(schema_0005, "0005_ladders.sql")
EMBED(schema_0006, "0006_run_models.sql")
EMBED(schema_0007, "0007_extra_ends.sql")
EMBED(schema_0008, "0008_generation.sql")
EMBED(schema_0009, "0009_webhooks.sql")
EMBED(schema_0010, "0010_callers.sql")
EMBED(schema_0011, "0011_after.sql")
EMBED(schema_0012, "0012_tasks.sql")
EMBED(schema_0013, "0013_nodes.sql")
EMBED(schema_0014, "0014_webhook_kinds.sql")
EMBED(schema_0015, "0015_library.sql")
EMBED(schema_0016, "0016_task_order.sql")
EMBED(schema_0017, "0017_extremes.sql")
EMBED(schema_0018, "0018_needs.sql")
EMBED(schema_0019, "0019_task_runs.sql")
EMBED(schema_0020, "0020_clock.sql")
EMBED(schema_0021, "0021_said.sql")

const struct schema_migration schema_migrations[] = {
    {"0001_jobs", schema_0001},       {"0002_runs", schema_0002},
    {"0003_registry", schema_0003},   {"0004_results", schema_0004},
    {"0005_ladders", schema_0005},    {"0006_run_models", schema_0006},
    {"0007_extra_ends", schema_0007}, {"0008_generation", schema_0008},
    {"0009_webhooks", schema_0009},   {"0010_callers", schema_0010},
    {"0011_after", schema_0011},      {"0012_tasks", schema_0012},
    {"0013_nodes", schema_0013},      {"0014_webhook_kinds", schema_0014},
    {"0015_library", schema_0015},    {"0016_task_order", schema_0016},
    {"0017_extremes", schema_0017},   {"0018_needs", schema_0018},
    {"0019_task_runs", schema_0019},  {"0020_clock", schema_0020},
    {"0021_said", schema_0021},
};
const int schema_migration_count = sizeof schema_migrations / sizeof schema_migrations[0];
