#!/usr/bin/env bash
# Lays out the roots of the images: the installed programs, the libraries that they need, and the
# licences of their packages. Used by deploy/Dockerfile.
#
#   deploy/image-root.sh STAGE IMAGE
#
#   STAGE           DESTDIR of `cmake --install` with the prefix /usr/local
#   IMAGE/daemon    the programs, their libraries (10 MB of them for libcurl, which rink-node, rink-post
#                   and rinkctl use), the shipped weights, and the certificates by which receivers of webhooks
#                   are known
#   IMAGE/torch     what large networks need on top of that: the module with libtorch
#   IMAGE/data      an empty folder, for the volume
#
# Debian's libtorch_cpu links two dozen libraries without using any symbol (OpenCV, FFmpeg, …).
# The copy in the image does not link them, which saves three quarters of its size.
set -euo pipefail
stage=$1
mkdir -p "$2"
image=$(cd "$2" && pwd)
module=usr/local/lib/rinkd/librinkd_torch.so
loader=/lib64/ld-linux-x86-64.so.2

die() {
    echo "image-root: $*" >&2
    exit 1
}

# needed FOLDER FILE…: prints the libraries that these link, from FOLDER or else from the system.
needed() {
    local folder=$1 file
    shift
    for file in "$@"; do
        LD_LIBRARY_PATH=$folder ldd "$file" | awk '
            /not found/ { print "image-root: " $0 > "/dev/stderr"; exit 1 }
            $2 == "=>" { print $3 }' || die "$file cannot be linked"
    done | sort -u
}

# add_licence ROOT PACKAGE FILE: compressed, as together they are larger than most programs.
add_licence() {
    local folder=$1/usr/share/doc/$2
    mkdir -p "$folder"
    gzip -9 -n -c "$3" >"$folder/copyright.gz"
}

# add_library ROOT FILE: copies the file under the name that programs load, to the folder of the loader's
# default search path, and its licence.
add_library() {
    local root=$1 file=$2 path package
    [ ! -e "$root/usr/lib/x86_64-linux-gnu/${file##*/}" ] || return 0
    install -D -m 755 "$file" "$root/usr/lib/x86_64-linux-gnu/${file##*/}"
    path=$(readlink -f "$file")
    package=$(dpkg-query -S "$path" 2>/dev/null || dpkg-query -S "${path#/usr}") ||
        die "no package has $path"
    package=${package%%:*}
    add_licence "$root" "$package" "/usr/share/doc/$package/copyright"
}

# check ROOT FILE…: fails if anything is missing with only the root present. Every symbol is looked up
# now, only in libraries of the root.
check() {
    local root=$1 file said
    shift
    for file in "$@"; do
        said=$(LD_TRACE_LOADED_OBJECTS=1 LD_WARN=yes LD_BIND_NOW=yes "$root$loader" --inhibit-cache \
            --library-path "$root/usr/lib/x86_64-linux-gnu" "$root/$file" 2>&1) ||
            die "/$file: $said"
        said=$(awk -v root="$root/" '/undefined symbol|not found/ { print; next }
            $2 == "=>" && index($3, root) != 1 { print "from outside: " $0 }' <<<"$said")
        [ -z "$said" ] || die "/$file is not complete: $said"
    done
}

[ "$(uname -m)" = x86_64 ] || die "it knows x86_64 only, not $(uname -m)"
mkdir -p "$image/daemon/usr/local/bin" "$image/daemon/usr/local/share" "$image/torch" "$image/data"

# ---- daemon ----
root=$image/daemon
cp "$stage"/usr/local/bin/* "$root/usr/local/bin/"
cp -r "$stage/usr/local/share/rinkd" "$root/usr/local/share/"
mapfile -t programs < <(cd "$root" && ls usr/local/bin/*)
install -D -m 755 "$(readlink -f $loader)" "$root$loader"
add_licence "$root" rinkd LICENSE
ln -s usr/lib "$root/lib"
wanted=$(needed '' "$root"/usr/local/bin/*)
for library in $wanted; do
    add_library "$root" "$library"
done
# Debian's own list: the file in /etc/ssl may have been replaced for a proxy.
mkdir -p "$root/etc/ssl/certs" "$root/tmp"
cat /usr/share/ca-certificates/mozilla/*.crt >"$root/etc/ssl/certs/ca-certificates.crt"
add_licence "$root" ca-certificates /usr/share/doc/ca-certificates/copyright
chmod 1777 "$root/tmp"
echo 'rinkd:x:65532:65532:rinkd:/var/lib/rinkd:/nonexistent' >"$root/etc/passwd"
echo 'rinkd:x:65532:' >"$root/etc/group"
check "$root" "${programs[@]}"

# ---- torch ----
root=$image/torch
install -D -m 755 "$stage/$module" "$root/$module"
original=$(needed '' "$stage/$module" | grep '/libtorch_cpu\.so') || die "the module has no libtorch"
add_library "$root" "$original"
libraries=$root/usr/lib/x86_64-linux-gnu
mapfile -t unused < <(ldd -u "$original" | awk '/^\t/ { sub(".*/", ""); print }')
for library in "${unused[@]}"; do
    patchelf --remove-needed "$library" "$libraries/${original##*/}"
done
# BLIS multiplies matrices as fast as OpenBLAS, which is 17 MB larger, and the reference BLAS is 14 times
# slower, without any message. It stays in the folder that names it: rink-learn warns of other libraries.
for library in blis-serial/libblas.so.3 lapack/liblapack.so.3; do
    [ -e "/usr/lib/x86_64-linux-gnu/$library" ] || die "there is no $library"
    add_library "$root" "/usr/lib/x86_64-linux-gnu/$library"
done
mkdir "$libraries/blis-serial"
mv "$libraries/libblas.so.3" "$libraries/blis-serial/"
ln -s blis-serial/libblas.so.3 "$libraries/"
wanted=$(needed "$libraries" "$root/$module")
for library in $wanted; do
    [ -e "$image/daemon/usr/lib/x86_64-linux-gnu/${library##*/}" ] || add_library "$root" "$library"
done

whole=$(mktemp -d)
cp -a "$image/daemon/." "$whole"
cp -a "$root/." "$whole"
check "$whole" "${programs[@]}" "$module"
rm -rf "$whole"
du -sh --apparent-size "$image"/*
