# shellcheck shell=bash
# A kind of job that tosses a coin. See run.sh.
# shellcheck disable=SC2034 # run.sh reads it
job_kind_files_most=5

job_kind_patch() {
    insert api/jobs/job_kinds.c before 'static const struct job_kind kinds[] = {' <<'C'
static const struct field toss_fields[] = {
    WHOLE("tosses", 1, 1000, 10, "times that the coin is tossed"), SEED, {0}};
static const struct job_view toss_views[] = {
    {.columns = (const struct job_column[]){{"tosses", "tosses", NULL, JOB_NUMBER},
                                            {"heads_percent", "heads", "%", JOB_TENTHS},
                                            {0}}},
    {0}};

C
    insert api/jobs/job_kinds.c after 'static const struct job_kind kinds[] = {' <<'C'
    {.name = "toss",
     .about = "Tosses a coin",
     .program = "rink-evaluate",
     .scope = "admin",
     .fields = toss_fields,
     .views = toss_views},
C
    put workers/evaluate/worker_toss.c <<'C'
/* Job "toss": tosses a coin. */
#include "workers/evaluate/worker_jobs.h"

json_t *job_toss(struct worker *worker, const struct wire_job *job)
{
    json_t *spec = spec_read(worker, job, job->spec, spec_check_player);
    json_int_t tosses = spec_whole(spec, "tosses"), heads = 0;
    uint64_t coin = (uint64_t)spec_whole(spec, "seed") + 1;

    json_decref(spec);
    if (!spec)
        return NULL;
    for (json_int_t k = 0; k < tosses; k++) {
        coin = coin * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        heads += (json_int_t)(coin >> 63);
    }
    return json_pack("{s:I, s:f}", "tosses", tosses, "heads_percent",
                     100.0 * (double)heads / (double)tosses);
}
C
    insert workers/evaluate/worker_jobs.h before '/* --- specs (worker_spec.c, job_spec.h) --- */' <<'C'
worker_function job_toss; /* worker_toss.c */

C
    insert workers/evaluate/main.c after 'static const struct worker_kind kinds[] = {' <<'C'
        {"toss", job_toss, false},
C
    insert workers/evaluate/CMakeLists.txt after 'worker_rate.c' <<'C'
    worker_toss.c
C
}

# Prints the words that bash offers after these.
job_kind_completion() {
    bash -c 'source service/rinkctl/completions/rinkctl; COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1)); _rinkctl; printf "%s\n" "${COMPREPLY[@]}"' bash rinkctl "$@"
}

# Sends a request to a service with tokens: a trainer's token is not enough.
job_kind_needs_its_scope() {
    local scope token pid address='' status
    mkdir "$scratch/guarded"
    for scope in train train,admin; do
        "$build/service/rinkd" --new-token "$scope:${scope##*,}" >"$scratch/guarded/$scope"
        sed -n 2p "$scratch/guarded/$scope" >>"$scratch/guarded/tokens"
    done
    chmod 600 "$scratch/guarded/tokens"
    "$build/service/rinkd" --data "$scratch/guarded/data" --listen 127.0.0.1:0 --workers 0 \
        --search-processes 1 --tokens "$scratch/guarded/tokens" >"$scratch/said" 2>"$scratch/log" &
    pid=$!
    for _ in $(seq 300); do
        address=$(sed -n 's/^listening on //p' "$scratch/said")
        [ -z "$address" ] || break
        sleep 0.1
    done
    for scope in train train,admin; do
        token=$(head -1 "$scratch/guarded/$scope")
        status=$(curl -s -o "$scratch/text" -w '%{http_code}' -H "Authorization: Bearer $token" \
            --json '{"kind":"toss","spec":{},"dry_run":true}' "$address/v1/jobs")
        echo "$scope $status"
    done >"$scratch/statuses"
    kill "$pid"
    wait "$pid" || true
    [ "$(tr '\n' ' ' <"$scratch/statuses")" = 'train 403 train,admin 200 ' ] ||
        refuse "the scope of the kind is not asked for: $(cat "$scratch/statuses" "$scratch/log")"
}

job_kind_check() {
    # The schema, the contract and the source of the forms.
    curl -sf "$service/v1/schemas/toss" | jq -c .properties.tosses |
        find_in 'the schema' '"minimum":1,"maximum":1000,"default":10'
    curl -sf "$service/openapi.yaml" | find_in 'the contract' '    TossSpec:'
    curl -sf "$service/openapi.yaml" | find_in 'the contract' '{"const": "toss"}'
    curl -sf "$service/v1/job-kinds" | jq -c '.items[] | select(.name == "toss")' |
        find_in 'the list of kinds' '"about":"Tosses a coin"'
    curl -sf "$service/v1/job-kinds/toss" | jq -c '[.schema.properties.tosses, .result]' |
        find_in 'the description of the kind' '"label":"heads","unit":"%","format":"tenths"'

    # rinkctl: help, completions, manual page.
    rinkctl submit --help | find_in 'submit --help' 'toss'
    rinkctl submit toss --help | find_in 'submit toss --help' \
        '--tosses=N             times that the coin is tossed (1 to 1000, default'
    rinkctl jobs --help | find_in 'jobs --help' 'toss'
    job_kind_completion submit to | find_in 'the completion of kinds' 'toss'
    job_kind_completion submit toss --to | find_in 'the completion of options' '--tosses'
    find_in 'the manual page' 'BR \-\-tosses' <"$build/service/rinkctl/rinkctl.1"

    # Only callers with its scope may request it.
    job_kind_needs_its_scope

    # Its spec is checked, it runs, and its result is read.
    (rinkctl submit toss --tosses=0 2>&1 || true) | find_in 'the refusal' 'spec.tosses: 0 is not in 1'
    rinkctl submit toss --tosses=100 --seed=7 --watch >"$scratch/watched" 2>"$scratch/log" ||
        refuse "the job fails: $(cat "$scratch/watched" "$scratch/log")"
    find_in 'the result' 'heads, %  ' <"$scratch/watched"
    curl -sf "$service/v1/jobs?kind=toss" | jq -c '.items[] | [.id, .state]' |
        find_in 'the list of jobs' '[1,"done"]'
    curl -sf "$service/v1/jobs/1" | jq -c .result | find_in 'the job' '{"tosses":100,"heads_percent":'
}
