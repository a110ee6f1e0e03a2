// What is exported, installed or committed, and used by nothing: pnpm check:unused
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
    'packages/valkey': {
      // Tests start it as a process of its own.
      entry: ['test/worker.ts'],
      project: ['{src,test}/**/*.ts'],
    },
    examples: {
      entry: [
        '*.ts',
        '*/main.ts',
        // Processes of their own, the handler of a Lambda function, and a worker of a page.
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
        'bench/{resumed/read,stubs/server}.ts',
        'guard/{measured,subjects/*}.ts',
        'jobs/lambda-process.ts',
        'migration/waiting.ts',
        // Imported by programs that the tests of the runtimes write and bundle.
        'fetch-client.ts',
        'runtimes/{pair,runner,subjects/*}.ts',
        // Programs of users, which tests compile or start.
        'packed/{programs,types/users}/*',
        'packed/vitest.release.config.ts',
        'stryker.{config.js,setup.ts,vitest.config.ts}',
      ],
      ignoreDependencies: [
        // Programs and versions of undici, which tests find by their paths.
        'bun',
        'deno',
        'jest',
        'node20',
        'node22',
        'node26',
        'undici6',
        // Named in the `types` of compiler options.
        '@cloudflare/workers-types',
        'bun-types',
        // Comes with @stryker-mutator/core, and is used in a comment for its types.
        '@stryker-mutator/api',
        // Of programs of users: installed by a test of the packed packages, or written by it.
        '@nestjs/.+',
        'reflect-metadata',
        'rxjs',
        'some-client',
      ],
      // The tests copy core.ts to this name.
      ignoreUnresolved: ['./core.mjs'],
    },
    'test/sdks': {
      entry: ['*.test.ts', 'next-render.ts', 'page-preload.ts'],
      ignoreDependencies: [
        // Used by a program of docs/sdks.md, which is run in this folder, and what it needs.
        'graphql-request',
        'graphql',
      ],
    },
  },
};

export default config;
