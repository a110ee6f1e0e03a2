import { STUDIES } from '../studies/studies.ts';

const names = STUDIES.map(({ name, shows }) => `  ${name.padEnd(18)} ${shows}`).join('\n');

/** The text of `--help`. */
export const HELP: string = `ebb-sim: what your retry settings do to a service in trouble

  ebb-sim <name>          run one of the studies below
  ebb-sim <file>          run your own scenario, a .json, .js or .mjs file, or
                          from Node 22.18 on a .ts or .mts file

${names}

Options
  --seed <n>          the seed: the same seed gives the same numbers
  --svg <file>        write the figure; several figures go to <file>-<name>.svg,
                      and in a folder each to <name>.svg
  --csv <file>        write the numbers, for a spreadsheet
  --json <file>       write everything
  --version           the version of ebb-sim
  --help, -h          this page
  The file - is the standard output, which then has no table.

Options of aws: the settings of the article's program
  --base <ms>         the base of its rules; by default 5
  --cap <ms>          the longest wait; by default 2000
  --clients <n,n,...> the numbers of clients; by default 10,20,...,190
  --network <ms,ms>   the delay of a message: its mean and deviation, which is
                      0 if it is left out; by default 10,2

Exit codes
  0 success, 1 wrong scenario or file, 2 wrong command line, 130 Ctrl-C

Your own scenario
  A fleet, a server, its troubles, and the policies to compare. A policy has the
  options of createPolicy. A program calls a function of @ebb/core; a scenario
  names the function. Times are in milliseconds.

  {
    "durationMs": 120000,
    "clients": { "count": 500, "requestsPerSecond": 450 },
    "server": {
      "workers": 10, "serviceMs": 20, "maxQueue": 1000,
      "troubles": [
        { "type": "brown-out", "capacityShare": 0.5,
          "fromMs": 20000, "untilMs": 50000 }
      ]
    },
    "policies": {
      "ours": {
        "maxRetries": 3,
        "attemptTimeoutMs": 1000,
        "backoff": { "fullJitter": { "baseMs": 100, "capMs": 10000 } }
      },
      "with a budget": {
        "attemptTimeoutMs": 1000,
        "budget": { "retryBudget": { "ratio": 0.1 } }
      }
    }
  }

  clients   count, requestsPerSecond: requests arrive whether answered or not;
            surges: [{ fromMs, untilMs, factor }], paths: a number or 'shards'
            count, thinkMs, requestsEach: each waits for its answer, then thinks
  server    workers, serviceMs, serviceSpread, maxQueue, queueFull, troubles,
            shards: servers behind one name, stragglers: { share, factor }, and
            limit: { refillPerSecond, capacity }, a quota: 429 and Retry-After,
            or { limits, spends }, a quota of several units
  troubles  outage, brown-out, slow-start, errors; of one shard: shard
  policy    also throttle and hedges: {} for their defaults
  network   meanMs, deviationMs: the delay of every message

  A .js or .ts file has the scenario as its default export, and may contain
  functions:  policy: { backoff: fullJitter({ baseMs: 100, capMs: 10_000 }) }
`;
