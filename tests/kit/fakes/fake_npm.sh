#!/bin/sh
# A fake npm: it answers `view` with `view.json` beside it, locks a package of a few lines for `install` and makes it for `ci`. What
# it was told is kept beside it (`calls`, `environment` and `environment.COMMAND`, `folder`). `mode` beside it has it fail, hang or lie.
here=$(dirname "$0")
mode=$(cat "$here/mode" 2>/dev/null)
echo "$*" >>"$here/calls"
env >"$here/environment"
env >"$here/environment.$1"
pwd >"$here/folder"
case "$1" in
view)
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
install | ci)
    for word in "$@"; do
        case "$word" in --prefix=*) prefix=${word#--prefix=} ;; esac
    done
    integrity=sha512-good
    version=1.2.3
    [ "$mode" = integrity ] && integrity=sha512-other
    [ "$mode" = version ] && version=1.2.4
    tarball=https://registry.example/fake-server.tgz
    [ "$mode" = elsewhere ] && tarball=https://evil.example/fake-server.tgz
    lock="{ \"packages\": { \"node_modules/fake-server\": {
        \"version\": \"$version\", \"integrity\": \"$integrity\", \"resolved\": \"$tarball\" } } }"
    if [ "$1" = install ]; then
        echo "$lock" >"$prefix/package-lock.json"
        exit
    fi
    package="$prefix/node_modules/fake-server"
    mkdir -p "$package"
    echo '{ "name": "fake-server", "version": "1.2.3", "bin": "cli.js" }' >"$package/package.json"
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
    # A package brings a lock of its own, which says something else.
    inside) lock=$(echo "$lock" | sed 's/registry.example/evil.example/') ;;
    esac
    printf '#!/usr/bin/env node\nconsole.log(1)\n' >"$package/cli.js"
    echo "$lock" >"$prefix/node_modules/.package-lock.json"
    ;;
config) echo '{ "registry": "https://registry.example/npm/", "@a:registry": "https://other.example" }' ;;
esac
