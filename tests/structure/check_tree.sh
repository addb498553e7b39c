#!/usr/bin/env bash
# Checks the shape of the tree: only the agreed top-level folders and files, and no file with a path
# that exists on only one machine.
#
#   check_tree.sh ROOT
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$1
allowed=' api service workers models schema deploy tests .ci '
allowed_files=' README.md LICENSE CMakeLists.txt CMakePresets.json ' # and dot-files

mapfile -t files < <("$here/list_files.sh" "$root")
[ ${#files[@]} -gt 0 ] || {
    echo "check_tree: no files below $root" >&2
    exit 1
}
bad=0
for file in "${files[@]}"; do
    case $file in
    */*)
        folder=${file%%/*}
        [[ $allowed == *" $folder "* ]] || {
            echo "$file: there is no top-level folder '$folder' in this project"
            bad=1
        }
        ;;
    .*) ;;
    *)
        [[ $allowed_files == *" $file "* ]] || {
            echo "$file: the top level has no such file in this project"
            bad=1
        }
        ;;
    esac
done

# A home or work folder at the start of a path; the brackets keep this line from matching itself.
machine_path='(^|[^A-Za-z0-9_.~-])/([h]ome|[r]oot|[w]ork|[U]sers)/[A-Za-z0-9_.]'
cd "$root"
if grep -nIE -- "$machine_path" /dev/null "${files[@]}"; then
    echo "check_tree: these lines name a path of one machine"
    bad=1
fi
echo "check_tree: ${#files[@]} files"
exit $bad
