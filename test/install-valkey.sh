#!/usr/bin/env bash
# Installs the newest Valkey that Debian has for this release: its own, or the one in its backports. Needs root. Does nothing
# elsewhere: install valkey-server by other means.
set -euo pipefail
sources=/etc/apt/sources.list.d/debian.sources
if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ] || [ ! -f "$sources" ]; then
  echo 'install-valkey: this is not Debian with root. Install valkey-server by other means.' >&2
  exit 1
fi
. /etc/os-release
backports="$VERSION_CODENAME-backports"
apt-get update
if ! grep -rqs "$backports" /etc/apt/sources.list.d; then
  # The same server as for the release itself.
  uri=$(awk '/^URIs:/ { print $2; exit }' "$sources")
  printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' \
    "$uri" "$backports" /usr/share/keyrings/debian-archive-keyring.gpg >/etc/apt/sources.list.d/ebb-backports.sources
  apt-get update
fi
apt-get install --yes --no-install-recommends --target-release "$backports" valkey-server ||
  apt-get install --yes --no-install-recommends valkey-server
valkey-server --version
