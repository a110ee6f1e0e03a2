import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { type Package, SOURCE } from './packages.ts';

/** Whether both formats can have one set of declarations. Those of a client may differ by format, as axios's do. */
const isAlone = ({ manifest }: Package): boolean =>
  manifest.dependencies === undefined && manifest.peerDependencies === undefined;

async function rollUp(one: Package, ending: 'd.ts' | 'd.cts'): Promise<void> {
  const folder = join(one.home, 'dist/types');
  const build = await rolldown({
    input: Object.fromEntries(one.doors.map(({ name, source }) => [name, source])),
    platform: 'neutral',
    external: /^(?![./#])/,
    // Every platform has the same types.
    resolve: { conditionNames: [SOURCE, 'node'] },
    plugins: [dts({ oxc: true, emitDtsOnly: true, tsconfig: false, sourcemap: false, resolver: 'oxc' })],
    logLevel: 'warn',
  });
  try {
    const { output } = await build.generate({
      entryFileNames: ending === 'd.ts' ? '[name].js' : '[name].cjs',
      chunkFileNames: `[name].${ending}`,
      minifyInternalExports: false,
      codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] },
    });
    for (const file of output) {
      // Namespaces need no code.
      if (file.type !== 'chunk' || file.name === 'rolldown-runtime') continue;
      // The plugin says where each declaration comes from.
      write(join(folder, file.fileName), file.code.replace(/^\/\/.*\n/gm, ''));
    }
  } finally {
    await build.close();
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/**
 * The declarations, rolled up. If one set is enough, it is that of CommonJS, which an ES module can import: before TypeScript
 * 5.8 the opposite is an error.
 */
export async function rollUpTypes(one: Package): Promise<void> {
  await rollUp(one, 'd.cts');
  if (!isAlone(one)) return rollUp(one, 'd.ts');
  for (const { name } of one.doors) {
    write(join(one.home, `dist/types/${name}.d.ts`), `export * from './${basename(name)}.cjs';\n`);
  }
}
