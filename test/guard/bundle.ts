import { build } from 'esbuild';
import { bundleOptions } from '../size/bundle.ts';

/** Bundles the sources of ebb, one client with its subjects, and measured.ts into a program of one file. */
export async function bundle(client: string, outfile: string): Promise<void> {
  // `measured` comes first, because what it counts must be replaced before ebb is imported.
  const contents = `
    import { measure } from './measured.ts';
    import { subjects } from './subjects/${client}.ts';
    measure(subjects);`;
  await build({
    ...bundleOptions('node', 'source'),
    stdin: { contents, resolveDir: import.meta.dirname, loader: 'ts' },
    outfile,
    format: 'cjs',
    target: 'node24',
  });
}
