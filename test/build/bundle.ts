import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { type CodeSplittingGroup, type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { chunksOf } from './chunks.ts';
import { commonJs } from './commonjs.ts';
import { inNode, outputOf, sourceTargets } from './imports.ts';
import { hasEffects, type Package } from './packages.ts';
import { marked } from './pure.ts';

/**
 * What is built. For Node few modules, because each takes a millisecond to load: a `#name` is what it means there. For all other
 * platforms a `#name` stays: package.json leads users to the file of their platform.
 */
type Build = 'node' | 'any';

/** Reads the sources. */
function sources(one: Package, build: Build): Plugin {
  return {
    name: 'ebb sources',
    resolveId(from, importer) {
      if (importer === undefined) return from;
      if (from.startsWith('#') && build === 'node') return join(one.home, inNode(one, from));
      if (!from.startsWith('.'))
        return { id: from, external: true, moduleSideEffects: !from.startsWith('#') };
      return join(dirname(importer), from);
    },
    load(path) {
      return { code: readFileSync(path, 'utf8'), moduleType: 'ts' };
    },
    transform(code, path) {
      if (!isAbsolute(path) || hasEffects(one, path)) return null;
      return { code: marked(code).toString(), map: null };
    },
  };
}

/** The files that users load, and those behind a `#name` that stays. */
function entriesOf(one: Package, build: Build): { readonly name: string; readonly source: string }[] {
  if (build === 'node') return [...one.doors];
  const targets = new Set(
    Object.values(sourceTargets(one)).flatMap((conditions) => Object.values(conditions)),
  );
  const behind = [...targets].map((target) => ({ name: outputOf(target), source: join(one.home, target) }));
  return [...one.doors, ...one.programs, ...behind];
}

/** A group takes what its files import along, so those that others import come first. */
function groupsOf(chunks: ReadonlyMap<string, string>): CodeSplittingGroup[] {
  const names = [...new Set(chunks.values())];
  return names.map((name, index) => ({
    name,
    test: (id) => chunks.get(id) === name,
    priority: names.length - index,
  }));
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** The ES modules: one for each entry, and those that entries share. */
async function modulesOf(one: Package, kind: Build): Promise<OutputChunk[]> {
  const entries = entriesOf(one, kind);
  const folder = kind === 'node' ? 'node/' : '';
  const build = await rolldown({
    input: Object.fromEntries(entries.map(({ name, source }) => [name, source])),
    platform: 'neutral',
    plugins: [sources(one, kind)],
    transform: { target: 'es2023' },
    // The tests of the packed packages say so if an entry exports less than another.
    logLevel: 'warn',
    experimental: { attachDebugInfo: 'none' },
  });
  try {
    const { output } = await build.generate({
      dir: join(one.home, 'dist'),
      // So that what CommonJS has in its first line moves no code.
      banner: `// ${one.manifest.name}, built from TypeScript.`,
      // Lines and names stay, but for what is never reached: so errors can be read without source maps, which would weigh more than all code.
      minify: 'dce-only',
      minifyInternalExports: false,
      comments: { annotation: true, legal: true, jsdoc: false },
      format: 'esm',
      entryFileNames: `${folder}[name].js`,
      chunkFileNames: `${folder}[name].js`,
      codeSplitting: { groups: groupsOf(chunksOf(one, entries, kind === 'any')) },
    });
    return output.filter((file) => file.type === 'chunk');
  } finally {
    await build.close();
  }
}

/** CommonJS of what Node and its test runners load. It has the lines of the ES modules for Node, so errors name the same ones. */
function writeCommonJs(one: Package, modules: readonly OutputChunk[]): void {
  for (const { fileName, code } of modules) {
    const file = fileName.replace(/^node\//, 'cjs/');
    write(
      join(one.home, 'dist', file),
      commonJs(code, (from) => from),
    );
  }
  // With the extension of ES modules, so that both stand side by side in a tarball.
  const { sideEffects } = one.manifest;
  const fields = { type: 'commonjs', ...(sideEffects === false && { sideEffects }) };
  write(join(one.home, 'dist/cjs/package.json'), `${JSON.stringify(fields)}\n`);
}

/** The code of a package in all forms, with the lines and names of its sources. */
export async function bundle(one: Package): Promise<void> {
  const [inNode, others] = await Promise.all([modulesOf(one, 'node'), modulesOf(one, 'any')]);
  for (const module of [...inNode, ...others]) {
    write(join(one.home, 'dist', module.fileName), `${module.code.trimEnd()}\n`);
  }
  writeCommonJs(one, inNode);
}
