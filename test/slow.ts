/** Tests that `test` leaves out, and what `check` calls them. `npx vitest` runs each of them as any other. */
export const SLOW: Readonly<Record<'pages' | 'stores' | 'long', readonly string[]>> = {
  /** Start a program for each block of code, or a browser. */
  pages: [
    'test/api/examples.test.ts',
    'test/examples.test.ts',
    'test/jobs/lambda.test.ts',
    'test/jobs/programs.test.ts',
    'test/jobs/run-until-settled.test.ts',
    'test/jobs/service-worker.test.ts',
    'test/migration/pages.test.ts',
    'test/opentelemetry/observe.test.ts',
    'test/readme.test.ts',
    'test/scenario-pages.test.ts',
  ],
  /** Fleets of processes, clusters and stores in trouble: on real servers, or in long properties. */
  stores: [
    'packages/valkey/src/budget-processes.test.ts',
    'packages/valkey/src/chaos.property.test.ts',
    'packages/valkey/src/clients.test.ts',
    'packages/valkey/src/closed-loop.test.ts',
    'packages/valkey/src/cluster-moves.test.ts',
    'packages/valkey/src/first-connection.test.ts',
    'packages/valkey/src/fleet-table.test.ts',
    'packages/valkey/src/outage.property.test.ts',
    'packages/valkey/src/processes.test.ts',
    'packages/valkey/src/readme.test.ts',
    'packages/valkey/src/store-error.test.ts',
    'packages/valkey/src/store-lies.property.test.ts',
    'packages/valkey/src/store-trouble.test.ts',
    'packages/valkey/src/trouble.property.test.ts',
    'test/fleet.test.ts',
  ],
  /** Figures of the simulator, byte for byte. */
  long: [
    'packages/simulator/src/studies/golden.test.ts',
    'packages/simulator/src/studies/storm/quiet.test.ts',
  ],
};
