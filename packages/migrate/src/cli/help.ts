export const HELP = `ebb-migrate [--dry] [--force] FILE|FOLDER…

Rewrites programs that retry or limit by axios-retry, fetch-retry, p-retry, async-retry, ky,
bottleneck, p-throttle or axios-rate-limit, so that they use ebb. What has no counterpart
stays, below a comment TODO(ebb).

Name all files whose requests go through a client: clients, and requests with options of their
own, change together or not at all.

  --dry      prints the changes as a diff, and writes nothing
  --force    also writes files with changes that are not committed
  --version  prints the version
  --help     prints this

Exit codes: 0 all was rewritten, or there was nothing; 1 something is left, see TODO(ebb);
2 the command line is wrong, or a file could not be read, parsed or written.`;
