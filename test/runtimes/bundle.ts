import { build } from 'esbuild';

/** Where the program runs, which decides what of it is bundled. */
export type Target = 'command' | 'browser' | 'worker';

/** The conditions of package.json's `exports` and `imports` that the tools of each target set. */
const CONDITIONS: Readonly<Record<Target, readonly string[]>> = {
  command: ['node'],
  browser: ['browser'],
  // As wrangler does for `nodejs_compat`.
  worker: ['workerd', 'worker', 'browser'],
};

/**
 * Bundles the runner, a client and a program that calls `perform` into one file.
 *
 * @param client a module that exports `subject`, as source text
 */
export async function bundle(client: string, program: string, target: Target): Promise<string> {
  const isWeb = target !== 'command';
  const { outputFiles } = await build({
    stdin: {
      contents: `import { performer } from './runner.ts';\nimport { subject } from 'ebb:client';
        const perform = performer(subject);\n${program}`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    format: program.includes('globalThis') ? 'iife' : 'esm',
    // Resolve the packages of ebb to their sources. A command resolves axios and undici itself, as in a user's program.
    conditions: ['@ebb/source', ...CONDITIONS[target]],
    platform: isWeb ? 'browser' : 'neutral',
    external: isWeb ? [] : ['node:*', 'axios', './node_modules/*'],
    plugins: [
      {
        name: 'the client',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^ebb:client$/ }, ({ path }) => ({ path, namespace: 'ebb' }));
          onLoad({ filter: /.*/, namespace: 'ebb' }, () => ({
            contents: client,
            resolveDir: import.meta.dirname,
          }));
        },
      },
    ],
  });
  return outputFiles[0]?.text ?? '';
}
