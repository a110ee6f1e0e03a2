// What is exported, installed or committed, and used by nothing: pnpm check unused
import type { KnipConfig } from 'knip';

const config: KnipConfig = {
  workspaces: {
    '.': {
      entry: [],
      // A program of the machine: `cost` counts instructions with it.
      ignoreBinaries: ['valgrind'],
    },
    'packages/*': {
      project: ['{src,test}/**/*.ts'],
    },
    'packages/simulator': {
      // Commands of the workspace.
      entry: ['src/cli/{agreement,figures,grid}.ts'],
      project: ['{src,test}/**/*.ts'],
    },
    'packages/migrate': {
      entry: ['src/cli.ts'],
      // Without the programs that it is tried on.
      project: ['src/**/*.ts'],
    },
    'packages/valkey': {
      // A program, and a process of its own that tests start.
      entry: ['src/cli.ts', 'test/worker.ts'],
      project: ['{src,test}/**/*.ts'],
    },
    examples: {
      entry: [
        '*.ts',
        '*/main.ts',
        // Processes of their own, the handler of a Lambda function, and a worker of a page.
        'demo/draw.ts',
        'fleet/worker.ts',
        'lambda/handler.ts',
        'service-worker/worker.ts',
      ],
      ignoreDependencies: ['@ebb/opentelemetry'], // Not used yet.
    },
    docs: {
      ignoreDependencies: [
        // Named in an option of TypeDoc.
        'typedoc-plugin-missing-exports',
        // Imported by the programs of the pages, which run as tests.
        '@ebb/.+',
        'axios',
        'iovalkey',
        'undici',
      ],
    },
    test: {
      entry: [
        // Benchmarks, their parts and the rivals are imported by name.
        'bench/*.ts',
        'bench/**/*.part.ts',
        'bench/{rivals,ours}/**/*.ts',
        // Processes of their own.
        'bench/measure/{child,marked}.ts',
        'bench/{overload/variant,resumed/read,stubs/server}.ts',
        'guard/{measured,subjects/*}.ts',
        'jobs/lambda-process.ts',
        'lost-uploads.ts',
        'migration/waiting.ts',
        'migration/moved/process.ts',
        // Imported by programs that the tests of the runtimes write and bundle.
        'fetch-client.ts',
        // Started by `check`.
        '{generate,promises}/run.ts',
        'promises/vitest.config.ts',
        '{alone,fleet-model}/main.ts',
        // Bundled by its name.
        'alone/{program,adapters/*}.ts',
        '{commits,load,nodes}.ts',
        'vitest.{long,redis,web}.config.ts',
        'site/{setup.ts,vitest.config.ts}',
      ],
      ignoreDependencies: [
        // Found by its path.
        'undici6',
      ],
    },
    'test/packed': {
      entry: [
        '{home,setup,release,version}.ts',
        'vitest.{long.,release.,}config.ts',
        '**/*.test.ts',
        // Programs of users, which tests compile or start.
        '{programs,types/users}/*',
      ],
      ignoreDependencies: [
        // Started by its path.
        'jest',
        // Named in the `types` of compiler options.
        '@cloudflare/workers-types',
        'bun-types',
        // Of programs of users: installed by a test, or written by it.
        '@nestjs/.+',
        'reflect-metadata',
        'rxjs',
        'some-client',
      ],
      // The tests copy core.ts to this name.
      ignoreUnresolved: ['./core.mjs'],
    },
    'test/bundlers': {
      entry: ['*.test.ts'],
      // A project of a user. Its packages are installed by a test, and its tools started by their names.
      ignore: ['project/**'],
      ignoreDependencies: [
        '@babel/.+',
        '@react-native/.+',
        '@rollup/.+',
        'axios',
        'esbuild',
        'metro',
        'next',
        'react(-dom)?',
        'rollup',
        'undici',
        'vite',
        'webpack(-cli)?',
      ],
    },
    'test/runtimes': {
      entry: ['*.test.ts', '{pair,runner,subjects/*,workers/{stores,worker}}.ts'],
      // Started by their paths.
      ignoreDependencies: ['bun', 'deno', 'node20', 'node22', 'node26'],
    },
    'test/timers': {
      // The program is started by its path, and the fakes are loaded by names with their versions.
      entry: ['*.test.ts', 'process.ts'],
      ignoreDependencies: ['(jest|sinon)-timers-.+'],
    },
    'test/mutants': {
      entry: ['*.{js,ts}', 'sample/{run,sum.cases,vitest.config}.ts'],
      // Its runner and its plugin are files here, and no packages.
      stryker: false,
      // Started by its path, and what comes with it and is used in a comment for its types.
      ignoreDependencies: ['@stryker-mutator/core', '@stryker-mutator/api'],
      ignoreUnresolved: ['test/mutants.bin/stryker'],
    },
    'examples/sdks': { entry: ['*.ts'] },
    'test/sdks': {
      entry: ['*.test.ts', 'run.ts', 'next-render.ts', 'page-preload.ts', 'hosts/*.ts'],
      ignoreDependencies: [
        // Used by a program of docs/sdks.md, which is run in this folder, and what it needs.
        '@googleapis/drive',
        '@types/k6',
        'graphql-request',
        'graphql',
        'swr',
      ],
    },
  },
};

export default config;
