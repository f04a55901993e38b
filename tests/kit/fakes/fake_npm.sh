#!/bin/sh
# A fake npm: it answers `view` with `view.json` beside it, locks packages of a few lines for `install` (those that it is asked for, and
# `helper` if a file `helper` beside it has a version and a hash) and makes them for `ci`. What it was told is kept beside it (`calls`,
# `environment` and `environment.COMMAND`, `folder`). `mode` beside it has it fail, hang or lie.
here=$(dirname "$0")
mode=$(cat "$here/mode" 2>/dev/null)
echo "$*" >>"$here/calls"
env >"$here/environment"
env >"$here/environment.$1"
pwd >"$here/folder"
for word in "$@"; do
    case "$word" in
    --prefix=*) prefix=${word#--prefix=} ;;
    --offline) offline=yes ;;
    esac
done
case "$1" in
view)
    [ "$offline" ] && mode=offline
    case "$mode" in
    offline)
        echo "npm error network request to https://me:hunter2@registry.example/x failed" >&2
        exit 1
        ;;
    unknown)
        echo '{ "error": { "code": "E404" } }'
        echo "npm error 404 Not Found" >&2
        exit 1
        ;;
    endless) exec cat /dev/zero ;;
    esac
    cat "$here/view.json"
    ;;
install)
    entries= dependencies= after=
    for word in "$@"; do
        [ "$word" = -- ] && after=yes && continue
        [ "$after" ] || continue
        name=${word%@*}
        tarball=https://registry.example/$name.tgz
        [ "$mode" = elsewhere ] && tarball=https://evil.example/$name.tgz
        needs=
        [ -f "$here/helper" ] && needs=', "dependencies": { "helper": "*" }'
        entries="$entries \"node_modules/$name\": { \"version\": \"${word##*@}\",
            \"integrity\": \"sha512-good\", \"resolved\": \"$tarball\"$needs },"
    done
    if [ -f "$here/helper" ]; then
        read -r version integrity <"$here/helper"
        entries="$entries \"node_modules/helper\": { \"version\": \"$version\",
            \"integrity\": \"$integrity\", \"resolved\": \"https://registry.example/helper.tgz\" },"
    fi
    echo "{ \"packages\": { $entries \"\": {} } }" >"$prefix/package-lock.json"
    ;;
ci)
    package="$prefix/node_modules/fake-server"
    mkdir -p "$package"
    echo '{ "name": "fake-server", "version": "1.2.3", "bin": "cli.js" }' >"$package/package.json"
    change=
    case "$mode" in
    fail)
        echo "npm error code EFAKE" >&2
        exit 7
        ;;
    hang)
        sleep 1000 &
        echo "$$ $!" >"$here/pids.new"
        mv "$here/pids.new" "$here/pids"
        wait
        ;;
    integrity) change='s/sha512-good/sha512-other/' ;;
    version) change='s/1\.2\.3/1.2.4/' ;;
    # A package brings another one along, as one with a lock of its own could.
    inside) change='s|"node_modules/fake-server": {|"node_modules/evil": { "version": "1.0.0" }, &|' ;;
    esac
    printf '#!/usr/bin/env node\nconsole.log(1)\n' >"$package/cli.js"
    sed "$change" "$prefix/package-lock.json" >"$prefix/node_modules/.package-lock.json"
    ;;
ls) echo '{}' ;;
config) echo '{ "registry": "https://registry.example/npm/", "@a:registry": "https://other.example" }' ;;
esac
