import type { Command } from './arguments.ts';

const READ = '+eval +time +get +pttl';

/** The least rights of the user of the store, beside its keys and what the client needs for its connection. */
export const RIGHTS: Readonly<Record<Command, string>> = {
  inspect: READ,
  watch: `${READ} +scan`,
  set: `${READ} +set`,
  leave: `${READ} +set`,
  reset: `${READ} +set`,
};

const rights = Object.entries(RIGHTS).map(([command, right]) => `  ${command.padEnd(10)}${right} ~ebb:*`);

/** The text of `--help`. */
export const HELP: string = `ebb-valkey: the shared buckets of @ebb/valkey in a store

  inspect KEY           limits, tokens, processes and their shares, pauses
  watch [PREFIX]        all buckets whose names begin so, once a second
  set KEY               other limits for the whole fleet, and every process
                        follows; they hold until a process declares others than
                        before, or no process has called for a day
  leave KEY PROCESS     takes a process that is gone out of the shares; one that
                        is alive comes back with its next call
  reset KEY             empties every unit now, and ends its debt and its pause

KEY is the name of the bucket in the program. set, leave and reset show what
would change, and do it with --yes.

Options
  --url URL             the store; by default VALKEY_URL, or
                        redis://127.0.0.1:6379
  --cluster             the store is a cluster, and the URL one of its nodes
  --client PACKAGE      iovalkey, ioredis, redis or @valkey/valkey-glide; by
                        default the first of them that is installed
  --prefix TEXT         what keys in the store begin with; by default ebb:
  --json                prints JSON; watch prints a line each time
  --once                of watch: prints once
  --rate N              of set: tokens per second
  --capacity N          of set: the most tokens that accumulate
  --unit NAME           of set: which unit, if the bucket has several
  --if-version N        of set: only if the limits are still of this version
  --yes                 of set, leave and reset: does it
  --version             the version of ebb-valkey
  --help, -h            this page

Rights of the user of the store, at least; the README of @ebb/valkey lists what
the client needs for its connection
${rights.join('\n')}

Exit codes
  0 done, 1 the store, the bucket or the client, 2 wrong command line,
  3 nothing was changed: --yes is missing, or another change came before
`;
