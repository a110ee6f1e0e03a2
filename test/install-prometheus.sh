#!/usr/bin/env bash
# Installs Prometheus, with its promtool, where Debian has it. Needs root. Does nothing if it is there.
set -euo pipefail
if ! command -v prometheus >/dev/null || ! command -v promtool >/dev/null; then
  if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    echo 'install-prometheus: this is not Debian with root. Install prometheus and promtool by other means.' >&2
    exit 1
  fi
  apt-get update
  apt-get install --yes --no-install-recommends prometheus
fi
prometheus --version
