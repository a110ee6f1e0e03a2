import { SLOW } from './slow.ts';

/** A check of `pnpm check`. */
export interface Check {
  readonly about: string;
  /** The folders whose packages it needs. Each is a workspace of its own. */
  readonly needs?: readonly string[];
  readonly commands: readonly string[];
}

/** Every workspace of its own. */
const EVERY_FOLDER = [
  'docs',
  'examples/sdks',
  'test/bundlers',
  'test/mutants',
  'test/packed',
  'test/runtimes',
  'test/sdks',
  'test/timers',
  'test/unused',
];

const vitest = (config: string): string => `vitest run --config test/${config}`;

const files = (names: readonly string[]): string => `vitest run ${names.join(' ')}`;

export const CHECKS: Readonly<Record<string, Check>> = {
  programs: {
    about: 'the programs of the pages, the examples, and other programs in processes of their own',
    commands: [files(SLOW.programs)],
  },
  migrate: {
    about: 'programs of other libraries beside what @ebb/migrate makes of them',
    commands: [files(SLOW.migrate)],
  },
  ports: {
    about: 'programs of other libraries beside their ports to ebb; with `-u` it writes docs/ports.md',
    commands: [files(SLOW.ports)],
  },
  alone: {
    about:
      'each row of the suite in a new process with one client and nothing else; takes a client and the name of a row',
    commands: ['node --conditions=@ebb/source test/alone/main.ts'],
  },
  worlds: {
    about: 'many worlds of overload and quotas, streams cut at each byte, and the figures of the simulator',
    commands: [files(SLOW.worlds)],
  },
  stores: {
    about: 'fleets of processes, clusters, and stores in trouble, on real servers of Redis or Valkey',
    commands: [files(SLOW.stores)],
  },
  fleet: {
    about:
      'every order of calls, replies, losses, steps of the clock and ends of a small fleet, to a depth; takes processes, depth and troubles',
    commands: ['node --conditions=@ebb/source --max-old-space-size=8192 test/fleet-model/main.ts'],
  },
  web: {
    about: 'core, fetch and axios with the entry for browsers, in Node',
    commands: [vitest('vitest.web.config.ts')],
  },
  packages: {
    about:
      'the packages as they would be published: Node 20 to 26, CommonJS, Jest, TypeScript 5.4 and 7, Bun',
    needs: ['test/runtimes', 'test/packed'],
    commands: [vitest('packed/vitest.config.ts')],
  },
  bundlers: {
    about:
      'the packages as they would be published, bundled by esbuild, webpack, Rollup, Vite, Metro and Next.js, and run',
    needs: ['test/bundlers'],
    commands: [vitest('bundlers/vitest.config.ts')],
  },
  runtimes: {
    about: 'one table of scenarios with every client in Node 20 to 26, Bun, Deno, workerd and Chromium',
    needs: ['test/runtimes'],
    commands: [vitest('runtimes/vitest.config.ts')],
  },
  nodes: {
    about: 'the other tests on Node 22 and 26',
    needs: ['test/runtimes'],
    commands: ['node test/nodes.ts'],
  },
  long: {
    about:
      'slow tests: the figures of the retry storm, large fleets, more runs of the properties, TypeScript 5.9 and 6',
    needs: ['test/runtimes', 'test/packed'],
    commands: [vitest('vitest.long.config.ts'), vitest('packed/vitest.long.config.ts')],
  },
  generate: {
    about:
      'cases that are drawn from seeds, over all clients and servers that misbehave; takes `--seed` and `--cases`',
    commands: ['node --conditions=@ebb/source --max-semi-space-size=64 test/generate/run.ts'],
  },
  growth: {
    about:
      'by instructions, that reading what a server or a store says, or a file contains, takes no more than its length; needs valgrind',
    commands: ['vitest run test/growth'],
  },
  redis: {
    about: 'the tests of @ebb/valkey on Redis, where `test` runs them on Valkey',
    commands: [vitest('vitest.redis.config.ts')],
  },
  valkey: {
    about: 'installs Valkey (Debian, as root) and runs the tests of @ebb/valkey on it',
    commands: ['test/install-valkey.sh', 'vitest run packages/valkey'],
  },
  sdks: {
    about: 'the SDKs of OpenAI, Anthropic, Google and others, and Next.js, over ebb',
    needs: ['test/sdks', 'examples/sdks'],
    commands: [vitest('sdks/vitest.config.ts')],
  },
  timers: {
    about: 'fake timers of sinon, Jest, vitest and node:test, by version, before and after ebb is loaded',
    needs: ['test/timers'],
    commands: [vitest('timers/vitest.config.ts')],
  },
  grafana: {
    about:
      'installs Prometheus (Debian, as root), which scrapes a program: each panel of the dashboard has data, and alerts fire; Grafana imports it, if it is installed',
    commands: ['test/install-prometheus.sh', files(SLOW.grafana)],
  },
  docs: {
    about: 'builds the site and tests it in Chromium',
    needs: ['docs'],
    commands: [vitest('site/vitest.config.ts')],
  },
  hover: {
    about: 'what an editor shows over each option of a policy, as its language server says',
    commands: [files(SLOW.hover)],
  },
  types: {
    about: 'the types of all these tests',
    needs: EVERY_FOLDER,
    commands: ['tsc -b test/tsconfig.all.json'],
  },
  unused: {
    about:
      'lists exports, files and dependencies that nothing uses; exceptions stand in test/unused/knip.ts, with reasons',
    needs: EVERY_FOLDER,
    commands: [
      'test/unused/node_modules/.bin/knip --config test/unused/knip.ts --treat-config-hints-as-errors',
    ],
  },
  commits: {
    about: 'commits of more than 100 lines without a body that says why; takes `--range`',
    commands: ['node test/commits.ts'],
  },
  load: {
    about: 'all tests twenty times beside eight busy processes; takes `--runs` and file names',
    commands: ['node test/load.ts'],
  },
  promises: {
    about:
      'breaks each promise of the pages that test/promises lists, and runs the tests that must notice; takes `--row`',
    commands: ['node --conditions=@ebb/source test/promises/run.ts'],
  },
  mutants: {
    about:
      'mutation tests of core and of the clients; takes one of them, `--part 3/8`, `--mutate FILE`, and `--sum` for the scores of all parts',
    needs: ['test/mutants'],
    commands: ['node test/mutants/run.ts'],
  },
};
