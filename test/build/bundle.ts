import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import {
  type CodeSplittingGroup,
  type OutputChunk,
  type OutputOptions,
  type Plugin,
  rolldown,
} from 'rolldown';
import { chunksOf } from './chunks.ts';
import { commonJs } from './commonjs.ts';
import { inNode, outputOf, sourceTargets } from './imports.ts';
import { hasEffects, type Package } from './packages.ts';
import { marked } from './pure.ts';

/** Reads the sources. A `#name` stays in what is built: package.json leads users to the file of their platform. */
function sources(one: Package): Plugin {
  return {
    name: 'ebb sources',
    resolveId(from, importer) {
      if (importer === undefined) return from;
      if (!from.startsWith('.'))
        return { id: from, external: true, moduleSideEffects: !from.startsWith('#') };
      return join(dirname(importer), from);
    },
    load(path) {
      const code = readFileSync(path, 'utf8');
      return { code: hasEffects(one, path) ? code : marked(code), moduleType: 'ts' };
    },
  };
}

/** Compressed, code loses the marks of `marked`. Names of functions and classes stay: they stand in stack traces, and a client's is looked at. */
const MINIFIED: NonNullable<OutputOptions['minify']> = {
  compress: false,
  mangle: { toplevel: true, keepNames: { function: true, class: true } },
  codegen: true,
};

/** The files that users load, and those behind a `#name`. */
function entriesOf(one: Package): { readonly name: string; readonly source: string }[] {
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
async function modulesOf(one: Package): Promise<OutputChunk[]> {
  const entries = entriesOf(one);
  const build = await rolldown({
    input: Object.fromEntries(entries.map(({ name, source }) => [name, source])),
    platform: 'neutral',
    plugins: [sources(one)],
    transform: { target: 'es2023' },
    // The tests of the packed packages say so if an entry exports less than another.
    logLevel: 'warn',
  });
  try {
    const { output } = await build.generate({
      minify: MINIFIED,
      comments: { annotation: true, legal: true, jsdoc: false },
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name].js',
      codeSplitting: { groups: groupsOf(chunksOf(one, entries)) },
    });
    return output.filter((file) => file.type === 'chunk');
  } finally {
    await build.close();
  }
}

/** CommonJS of what Node and its test runners load. */
function writeCommonJs(one: Package, modules: readonly OutputChunk[]): void {
  const done = new Set<string>();
  const visit = (file: string): void => {
    if (done.has(file)) return;
    done.add(file);
    const code = modules.find(({ fileName }) => fileName === file)?.code;
    if (code === undefined) throw new Error(`nothing is built as ${file}`);
    const text = commonJs(code, (from) => {
      if (!/^[.#]/.test(from)) return from;
      const target = from.startsWith('#')
        ? `${outputOf(inNode(one, from))}.js`
        : posix.join(posix.dirname(file), from);
      visit(target);
      const path = posix.relative(posix.dirname(file), target);
      return path.startsWith('.') ? path : `./${path}`;
    });
    write(join(one.home, 'dist/cjs', file), text);
  };
  for (const { name } of one.doors) visit(`${name}.js`);
  // With the extension of ES modules, so that both stand side by side in a tarball.
  const { sideEffects } = one.manifest;
  const fields = { type: 'commonjs', ...(sideEffects === false && { sideEffects }) };
  write(join(one.home, 'dist/cjs/package.json'), `${JSON.stringify(fields)}\n`);
}

/** The code of a package in both formats. */
export async function bundle(one: Package): Promise<void> {
  const modules = await modulesOf(one);
  for (const { fileName, code } of modules) write(join(one.home, 'dist', fileName), code);
  writeCommonJs(one, modules);
}
