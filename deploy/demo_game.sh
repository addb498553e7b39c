#!/usr/bin/env bash
# Plays a game of eight ends on the ice of Digital Curling 3 through the public program alone: each
# shot is one JSON line into rink-simulate, thrown with execution noise, and the stones that come
# back are those of the next shot. Both teams follow the simplest of plans: take out the opponent's
# best stone, or else draw. Then throws all scenes of that game many times over, for the speed.
#
#   demo_game.sh RINK-SIMULATE [SEED]
set -euo pipefail
export LC_ALL=C
simulate=$1
seed=${2:-1}
ends=8
samples=500
team=(red yellow)
empty='[null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null]'
scenes=$(mktemp)
trap 'rm -f "$scenes"' EXIT

# stones, shot number, hammer (0 or 1) → two lines: the scene, and "hit|draw|guard x y".
# The constants are those of the dc3 ice: a tee draw leaves at 2.40336 m/s and runs 34.9 m further
# for each m/s more; with this spin it ends 0.05484 rad to the left, a hit at 3.5 m/s 0.01918 rad.
# shellcheck disable=SC2016 # a program of jq
plan_shot='
def tee_y: 38.405;
def length($x; $y): $x * $x + $y * $y | sqrt;
def throw($speed; $x; $y; $curl):
    {speed: $speed, angle: (([$y, $x] | atan2(.[0]; .[1])) - $curl), angular_velocity: 1.5707963};
def draw($what; $x; $y):
    {what: $what, x: $x, y: $y,
     shot: throw(2.40336 + (length($x; $y) - tee_y) / 34.9; $x; $y; 0.05484)};
def hit($stone):
    {what: "hit", x: $stone.x, y: $stone.y, shot: throw(3.5; $stone.x; $stone.y; 0.01918)};

. as $stones
| (if $k % 2 == 1 then $hammer else 1 - $hammer end) as $team
| [to_entries[] | select(.value) | .value + {team: (.key / 8 | floor)}
   | .distance = length(.x; .y - tee_y) | select(.distance < 1.974)] as $in_house
| ($in_house | min_by(.distance)) as $best
| (if $best and $best.team != $team then hit($best)
   elif $k == 0 then draw("guard"; 0; 35.5)
   else [draw("draw"; 0; 38.4), draw("draw"; -0.8; 38.7), draw("draw"; 0.8; 38.7)][$k % 3]
   end) as $plan
| {model: "dc3", id: $id, hammer: "team\($hammer)", n: ($team * 8 + ($k / 2 | floor)),
   before: $stones, shot: $plan.shot},
  "\($plan.what) \($plan.x) \($plan.y)"'

# scene and outcome → two lines: the stones for the next shot, and "x y collisions score foul",
# x y being - where the delivered stone is out of play. After a foul against the free guard zone
# the other stones go back.
# shellcheck disable=SC2016
settle_shot='
. as [$scene, $outcome]
| (if $outcome.fgz_foul then $scene.before else $outcome.after end) as $stones
| ($stones | tojson),
  ([($stones[$scene.n] | if . then .x, .y else "-", "-" end),
    $outcome.collisions, $outcome.score, ($outcome.fgz_foul // false)] | join(" "))'

# stones → the house seen from above, thrower below.
picture() {
    jq -r 'to_entries[] | select(.value) | "\(.value.x) \(.value.y) \(.key)"' <<<"$1" | awk '
        { x[NR] = $1; y[NR] = $2; mark[NR] = $3 < 8 ? "R" : "Y" }
        END {
            for (row = 40.3; row > 34.4; row -= 0.26) {
                line = ""
                for (column = -2.34; column < 2.35; column += 0.13) {
                    r = sqrt(column ^ 2 + (row - 38.405) ^ 2)
                    dot = r < 0.15 ? "+" : r < 0.61 ? "." : r < 1.22 ? ":" : r < 1.829 ? "." : " "
                    for (s = 1; s <= NR; s++)
                        if ((x[s] - column) ^ 2 <= 0.065 ^ 2 && (y[s] - row) ^ 2 <= 0.13 ^ 2)
                            dot = mark[s]
                    line = line dot
                }
                print "    |" line "|"
            }
        }'
}

points=(0 0)
hammer=1
for ((end = 1; end <= ends; end++)); do
    printf '\nEnd %d of %d, hammer: %s\n' $end $ends "${team[hammer]}"
    stones=$empty
    for ((k = 0; k < 16; k++)); do
        id=$((16 * (end - 1) + k))
        {
            read -r scene
            read -r what aim_x aim_y
        } < <(jq -rc --argjson k $k --argjson hammer $hammer --argjson id $id "$plan_shot" <<<"$stones")
        printf '%s\n' "$scene" >>"$scenes"
        outcome=$("$simulate" --noise normal_dist --seed "$seed" <<<"$scene")
        {
            read -r stones
            read -r x y collisions score foul
        } < <(jq -rcn --argjson scene "$scene" --argjson outcome "$outcome" \
            "[\$scene, \$outcome] | $settle_shot")
        if [ "$foul" = true ]; then
            lies="free guard zone foul, stones put back"
        elif [ "$x" = - ]; then
            lies="out of play"
        else
            lies=$(printf 'lies at %5.2f %6.2f' "$x" "$y")
        fi
        printf '  %2d  %-6s  %-5s at %5.2f %6.2f   %s, collisions: %d\n' $((k + 1)) \
            "${team[k % 2 ? hammer : 1 - hammer]}" "$what" "$aim_x" "$aim_y" "$lies" "$collisions"
    done
    # The score is positive for team 0. Who scores gives the hammer away; a blank end changes nothing.
    if [ "$score" -gt 0 ]; then
        points[0]=$((points[0] + score))
        hammer=1
    elif [ "$score" -lt 0 ]; then
        points[1]=$((points[1] - score))
        hammer=0
    fi
    printf '  score: %s %d, %s %d\n' "${team[0]}" "${points[0]}" "${team[1]}" "${points[1]}"
done

printf '\nThe last end, R red, Y yellow:\n'
picture "$stones"
printf '\nResult after %d ends: %s %d, %s %d\n' $ends "${team[0]}" "${points[0]}" "${team[1]}" "${points[1]}"

start=$EPOCHREALTIME
"$simulate" --noise normal_dist --seed "$seed" --samples $samples --threads "$(nproc)" "$scenes" >/dev/null
stop=$EPOCHREALTIME
awk -v scenes=$((16 * ends)) -v samples=$samples -v seconds_from="$start" -v seconds_to="$stop" \
    -v threads="$(nproc)" 'BEGIN {
        seconds = seconds_to - seconds_from
        printf "All %d scenes thrown %d times each, JSON in and out, %d threads: %.2f s, %d shots/s\n",
            scenes, samples, threads, seconds, scenes * samples / seconds
    }'
