#!/bin/sh
echo "$@" >>"@MARKER@"
exit 1
