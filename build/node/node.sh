#!/bin/sh
# Stands in node_modules/.bin as "node", before every other one for npm's scripts, and becomes the Node.js that came with the packages;
# the next one on the way where none did.
case $(uname -m) in
  aarch64 | arm64) arch=arm64 ;;
  *) arch=x64 ;;
esac
self=$(readlink -f "$0")
own=$(dirname "$self")/../../node-linux-$arch/bin/node
[ -x "$own" ] && exec "$own" "$@"
IFS=:
for folder in $PATH; do
  [ -x "$folder/node" ] && [ "$(readlink -f "$folder/node")" != "$self" ] && exec "$folder/node" "$@"
done
echo "There is no Node.js: neither the package node-linux-$arch nor another one." >&2
exit 127
