import { build } from 'esbuild';

/** A program around the runner, in one file. */
export async function bundle(program: string, format: 'esm' | 'iife' = 'esm'): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { perform } from './runner.ts';\n${program}`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    format,
    // The packages' own sources, and nothing that a runtime has of its own.
    conditions: ['@ebb/source'],
    platform: 'neutral',
  });
  return outputFiles[0]?.text ?? '';
}
