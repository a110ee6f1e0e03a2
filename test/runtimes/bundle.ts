import { build } from 'esbuild';

/** Bundles the runner and a program that uses it into one file. */
export async function bundle(program: string, format: 'esm' | 'iife' = 'esm'): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { perform } from './runner.ts';\n${program}`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    format,
    // Resolve the packages to their sources, without the fields of a particular runtime.
    conditions: ['@ebb/source'],
    platform: 'neutral',
  });
  return outputFiles[0]?.text ?? '';
}
