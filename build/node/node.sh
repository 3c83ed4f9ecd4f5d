#!/bin/sh
# Stands in node_modules/.bin as "node", before every other one for npm's scripts, and becomes the Node.js that came with the packages.
case $(uname -m) in
  aarch64 | arm64) arch=arm64 ;;
  *) arch=x64 ;;
esac
exec "$(dirname "$(readlink -f "$0")")/../../node-linux-$arch/bin/node" "$@"
