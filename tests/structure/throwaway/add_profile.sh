# shellcheck shell=bash
# A profile: Digital Curling 3 with six protected shots, on separate ice with throws of at most
# 3.5 m/s. See run.sh.
# shellcheck disable=SC2034 # run.sh reads it
profile_files_most=4

profile_patch() {
    insert models/tables/profiles.c before 'static struct ice_profile (*const ice_rows[])(void) = {' <<'C'
static struct ice_profile calm_ice(void)
{
    struct ice_profile ice = dc3_ice();

    ice.name = "calm";
    ice.about = "Ice for people in no hurry";
    ice.player_max_speed = 3.5;
    return ice;
}

C
    insert models/tables/profiles.c after 'dc4_ice,' <<'C'
    calm_ice,
C
    insert models/tables/profiles.c before 'static struct profile (*const profile_rows[])(void) = {' <<'C'
static struct profile calm_six_rock(void)
{
    struct profile row = dc3();

    row.ice = ice_called("calm");
    row.rules.protected_shots = 6;
    return named(row, "calm-six-rock", "Six protected shots and no hurry");
}

C
    insert models/tables/profiles.c after 'dc2, dc3, dc3_four_rock, dc4, dc4_no_tick, dc4_modified, dc4_library,' <<'C'
    calm_six_rock,
C
}

profile_check() {
    # The list, the schemas of shots and jobs, the contract, rinkctl.
    curl -sf "$service/v1/profiles" |
        jq -c '.items[] | select(.name == "calm-six-rock")
            | [.about, .jobs, .rules.protected_shots, .ice.name, .noise.settings[2].default]' |
        find_in 'the list of profiles' '["Six protected shots and no hurry",true,6,"calm",3.5]'
    for kind in shot match train; do
        curl -sf "$service/v1/schemas/$kind" | jq -c '.. | .properties?.profile?.enum? // empty' |
            find_in "the schema of $kind" '"calm-six-rock"'
    done
    curl -sf "$service/openapi.yaml" | tr -s ' \n' ' ' | find_in 'the contract' '"dc4-library", "calm-six-rock"'
    rinkctl profiles | find_in 'rinkctl profiles' 'calm-six-rock  calm  normal_dist     16  yes'
    rinkctl submit match --help | find_in 'submit match --help' 'calm-six-rock'

    # Help and errors of the programs.
    "$build/workers/evaluate/rink-evaluate" match --help | tr -d '\n' | tr -s ' ' |
        find_in 'rink-evaluate match --help' 'dc4-library, calm-six-rock'
    ("$build/workers/evaluate/rink-evaluate" match --profile calm --a random --b random 2>&1 || true) |
        find_in 'the refusal of a profile' 'dc4-library, calm-six-rock'
    "$build/workers/simulate/rink-simulate" --help | tr -d '\n' | tr -s ' ' |
        find_in 'rink-simulate --help' 'dc2, dc3, dc4, calm'

    # A shot query is answered, a game is played, and the ladder lists the profile.
    curl -sf "$service/v1/shots" -H 'Content-Type: application/json' -d '{"profile": "calm-six-rock",
        "player": "rink", "limits": {"simulations": 200}, "state": {"end": 0, "shot": 0,
        "hammer": "team1", "scores": {"team0": [], "team1": []}, "stones": {"team0": [], "team1": []}}}' |
        jq -c '[.shot.rotation != null, .value.win_probability != null]' |
        find_in 'the answer to a shot query' '[true,true]'
    rinkctl submit match --a=ai-simple --b=random --profile=calm-six-rock --pairs=2 --ends=1 --watch \
        >"$scratch/watched" 2>"$scratch/log" ||
        refuse "the match fails: $(cat "$scratch/watched" "$scratch/log")"
    find_in 'the result of the match' 'a wins, %' <"$scratch/watched"
    curl -sf "$service/v1/matches?profile=calm-six-rock" | jq -c '.items[] | [.profile, .pairs]' |
        find_in 'the list of matches' '["calm-six-rock",2]'
    curl -sf "$service/v1/ratings?profile=calm-six-rock" | jq -c .profile |
        find_in 'the ladder' '"calm-six-rock"'
}
