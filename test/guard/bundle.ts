import { build } from 'esbuild';

/** Bundles the sources of ebb, one client with its subjects, and measured.ts into a program of one file. */
export async function bundle(client: string, outfile: string): Promise<void> {
  // `measured` comes first, because what it counts must be replaced before ebb is imported.
  const contents = `
    import { measure } from './measured.ts';
    import { subjects } from './subjects/${client}.ts';
    measure(subjects);`;
  await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    conditions: ['@ebb/source'],
  });
}
