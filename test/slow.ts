/** Tests that `test` leaves out, and what `check` calls them. `npx vitest` runs each of them as any other. */
export const SLOW: Readonly<
  Record<'grafana' | 'hover' | 'migrate' | 'ports' | 'programs' | 'stores' | 'worlds', readonly string[]>
> = {
  /** Waits for scrapes. */
  grafana: ['test/grafana/grafana.test.ts'],
  /** Asks a language server. */
  hover: ['test/hover/hover.test.ts'],
  /** Runs each program twice: with another library, and rewritten. Breaks folders under a rewrite. */
  migrate: [
    'packages/migrate/src/cli/harm.test.ts',
    'test/migration/moved.test.ts',
    'test/migration/programs.test.ts',
  ],
  /** Runs each program twice: with another library, and its port. */
  ports: ['test/ports/ports.test.ts'],
  /** Start a program for each row or block of code, or a browser; or repeat quick tests over older versions. */
  programs: [
    'packages/fetch/src/body/slots-exit.test.ts',
    'packages/simulator/src/cli/cli.test.ts',
    'packages/simulator/src/cli/run.test.ts',
    'packages/undici/src/bare-requests.test.ts',
    'packages/undici/src/bare-throws.test.ts',
    'packages/undici/src/register.test.ts',
    'test/alone/alone.test.ts',
    'test/api/examples.test.ts',
    'test/debug-lines.test.ts',
    'test/examples.test.ts',
    'test/jobs/lambda.test.ts',
    'test/jobs/programs.test.ts',
    'test/jobs/run-until-settled.test.ts',
    'test/jobs/service-worker.test.ts',
    'test/migration/breakers.test.ts',
    'test/migration/bursts.test.ts',
    'test/migration/pages.test.ts',
    'test/migration/readme-table.test.ts',
    'test/migration/waiting.test.ts',
    'test/opentelemetry/observe.test.ts',
    'test/per-key-memory.test.ts',
    'test/readme.test.ts',
    'test/redirects/versions.test.ts',
    'test/scenario-pages.test.ts',
    'test/undici-orders.test.ts',
  ],
  /** Fleets of processes, clusters and stores in trouble: on real servers, or in long properties. */
  stores: [
    'packages/valkey/src/budget-lost.test.ts',
    'packages/valkey/src/budget-outage.test.ts',
    'packages/valkey/src/chaos.property.test.ts',
    'packages/valkey/src/cli/run.test.ts',
    'packages/valkey/src/clients.test.ts',
    'packages/valkey/src/closed-loop.test.ts',
    'packages/valkey/src/first-connection.test.ts',
    'packages/valkey/src/operator-script.test.ts',
    'packages/valkey/src/outage.test.ts',
    'packages/valkey/src/script.test.ts',
    'packages/valkey/src/store-error.test.ts',
    'packages/valkey/src/trouble.test.ts',
    'test/fleet.test.ts',
  ],
  /** Many worlds, streams and bodies, and figures of the simulator, byte for byte. */
  worlds: [
    'packages/fetch/src/body/slots-collected.test.ts',
    'packages/hedge/src/fetch/hedged.property.test.ts',
    'packages/resume/src/fetch/resumable-cuts.test.ts',
    'packages/resume/src/fetch/resumable.property.test.ts',
    'packages/simulator/src/studies/concurrency/worlds.test.ts',
    'packages/simulator/src/studies/golden.test.ts',
    'packages/simulator/src/studies/grid/recorded.test.ts',
    'packages/simulator/src/studies/rates/worlds.test.ts',
    'packages/simulator/src/studies/storm/quiet-clients.test.ts',
    'packages/undici/src/inspect.property.test.ts',
    'test/growth/growth.test.ts',
    'test/figures.test.ts',
    'test/overload/healthy.test.ts',
    'test/overload/simulator.test.ts',
    'test/overload/worlds.test.ts',
    'test/provider-worlds.test.ts',
    'test/resumable.test.ts',
  ],
};
