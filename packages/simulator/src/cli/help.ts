import { STUDIES } from '../studies/studies.ts';

const names = STUDIES.map(({ name, shows }) => `  ${name.padEnd(18)} ${shows}`).join('\n');

/** What `--help` says: how to begin, what there is, and how to write a scenario. */
export const HELP: string = `ebb-sim: what your retry settings will do to a service that falters

  ebb-sim <name>          run one of these
  ebb-sim <file>          run a scenario of your own, a .json, .ts or .js file

${names}

Options
  --seed <n>          another roll of the dice; one seed, the same numbers
  --svg <file>        write the figure; several go to <file>-<name>.svg each
  --csv <file>        write the numbers, for a spreadsheet
  --json <file>       write everything
  --version           the version of ebb-sim
  --help, -h          this page
  A file named - is the standard output, in the place of the table.

Options of aws: the settings of the article's program
  --base <ms>         the base of its rules; by default 5
  --cap <ms>          the longest wait; by default 2000
  --clients <n,n,...> how many compete, a point each; by default 10,20,...,190
  --network <ms,ms>   how long a message takes: the mean, and the deviation,
                      0 if it is left out; by default 10,2

Exit codes
  0 done, 1 a scenario or a file is wrong, 2 the command line is, 130 Ctrl-C

A scenario of your own
  A fleet, a server, what happens to it, and the policies to compare. A policy
  has the options of createPolicy; where a program calls a function of
  @ebb/core, a scenario names it. Times are in milliseconds.

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

  clients   count, requestsPerSecond: requests come whether answered or not
            count, thinkMs, requestsEach: each waits for its answer, then thinks
  server    workers, serviceMs, serviceSpread, maxQueue, troubles, and
            limit: { refillPerSecond, capacity }, a quota: 429 and Retry-After
  troubles  outage, brown-out, slow-start, errors
  network   meanMs, deviationMs: the delay of every message

  A .ts or .js file exports the same as its default, and may give functions,
  as in  policy: { backoff: fullJitter({ baseMs: 100, capMs: 10_000 }) }
`;
