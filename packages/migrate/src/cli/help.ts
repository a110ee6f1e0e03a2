export const HELP = `ebb-migrate [--dry] [--force] FILE|FOLDER…

Rewrites programs that retry or limit by axios-retry, fetch-retry, p-retry, async-retry, ky,
bottleneck, p-throttle or axios-rate-limit, so that they use ebb. What has no counterpart
stays, below a comment TODO(ebb).

Options that @ebb/compat takes stay as they are, also those of requests in other files. Name all
files of a program: an AbortError of p-retry changes with the calls that it stops, and a limiter of
bottleneck with its uses.

A file is written if git has all of its content. It keeps its mode, its byte order mark and the
ends of its lines. Not written, nor what changes together with it: a file that is not UTF-8, is
read-only, or is larger than 1 MB. A link that leads out of its repository is an error.

At the end it prints the commands for the packages that the files load now, and for those that none
of the files loads any more: of npm, pnpm, yarn or bun, by the nearest lock file. An axios in
package.json that is too old for @ebb/axios counts as left.

  --dry      prints the changes as a diff, and writes nothing
  --force    also writes files with changes that are not committed
  --version  prints the version
  --help     prints this

Exit codes: 0 all was rewritten, or there was nothing; 1 something is left, see TODO(ebb);
2 the command line is wrong, or a file could not be read, parsed or written.`;
