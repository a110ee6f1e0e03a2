import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CodeSplittingGroup, type OutputOptions, type Plugin, rolldown } from 'rolldown';
import { hasEffects, type Package } from './packages.ts';
import { marked } from './pure.ts';
import { resolved, sharing } from './sharing.ts';
import type { Variant } from './variants.ts';

/** Marks the virtual entry of a door. What a door imports may be shared with other variants, so that it holds no code. */
const ENTRY = '\0door ';

/** Reads each source once for the variants that share it: they stand behind the path of its id, `/path.ts?node-web`. */
function sources(one: Package): Plugin {
  const shared = sharing(one);
  const idOf = (path: string, variant: Variant): string =>
    `${path}?${shared(path, variant)
      .map(({ name }) => name)
      .join('-')}`;
  const variantOf = (names: string): Variant => {
    const variant = one.variants.find(({ name }) => name === names.split('-')[0]);
    if (variant === undefined) throw new Error(`no variant ${names}`);
    return variant;
  };
  const entries = [...one.doors, ...one.programs];
  return {
    name: 'ebb sources',
    resolveId(from, importer) {
      if (from.startsWith(ENTRY)) return from;
      if (!/^[./#]/.test(from)) return { id: from, external: true };
      if (importer?.startsWith(ENTRY)) return from;
      const [path = '', names = ''] = importer?.split('?') ?? [];
      const variant = variantOf(names);
      return idOf(resolved(from, path, one, variant), variant);
    },
    load(id) {
      if (!id.startsWith(ENTRY)) {
        const path = id.replace(/\?.*/, '');
        const code = readFileSync(path, 'utf8');
        return { code: hasEffects(one, path) ? code : marked(code), moduleType: 'ts' };
      }
      const [names = '', name] = id.slice(ENTRY.length).split(' ');
      const source = entries.find((entry) => entry.name === name)?.source ?? '';
      return { code: `export * from ${JSON.stringify(idOf(source, variantOf(names)))};`, moduleType: 'js' };
    },
  };
}

/** Names of functions and classes stay: they stand in stack traces, and a client's is looked at. */
const MINIFIED: NonNullable<OutputOptions['minify']> = {
  compress: false,
  mangle: { toplevel: true, keepNames: { function: true, class: true } },
  codegen: true,
};

async function bundle(
  one: Package,
  input: Readonly<Record<string, string>>,
  output: OutputOptions,
): Promise<void> {
  const build = await rolldown({
    input,
    platform: 'neutral',
    plugins: [sources(one)],
    transform: { target: 'es2023' },
    // The tests of the packed packages say so if an entry exports less than another.
    logLevel: 'warn',
  });
  try {
    await build.write({
      minify: MINIFIED,
      comments: { annotation: true, legal: true, jsdoc: false },
      ...output,
    });
  } finally {
    await build.close();
  }
}

/**
 * What several entries need goes into one file for the variants that share it: `shared.js`, `node-web/shared.js`,
 * `node/shared.js`. A group takes what its files import along, so those of more variants come first.
 */
function groupsOf({ variants }: Package): CodeSplittingGroup[] {
  let sets: string[][] = [[]];
  for (const { name } of variants) sets = sets.concat(sets.map((names) => [...names, name]));
  return sets.slice(1).map((names) => ({
    name: names.length === variants.length && variants.length > 1 ? 'shared' : `${names.join('-')}/shared`,
    test: (id) => !id.startsWith('\0') && id.endsWith(`?${names.join('-')}`),
    priority: names.length,
    minShareCount: 2,
  }));
}

/** The ES modules of every variant, each in its folder. */
export async function bundleModules(one: Package): Promise<void> {
  const entries = one.variants.flatMap(({ name }) =>
    [...one.doors, ...one.programs].map((door) => [`${name}/${door.name}`, `${ENTRY}${name} ${door.name}`]),
  );
  const programs = one.programs.map((program) => `${one.variants[0]?.name}/${program.name}`);
  await bundle(one, Object.fromEntries(entries), {
    dir: join(one.home, 'dist'),
    format: 'esm',
    banner: ({ name }) => (programs.includes(name) ? '#!/usr/bin/env node' : ''),
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    codeSplitting: { groups: groupsOf(one) },
  });
}

/** CommonJS, which only Node and its test runners load. */
export async function bundleCommonJs(one: Package): Promise<void> {
  const [variant] = one.variants;
  const entries = one.doors.map(({ name }) => [name, `${ENTRY}${variant?.name} ${name}`]);
  await bundle(one, Object.fromEntries(entries), {
    dir: join(one.home, 'dist/cjs'),
    format: 'cjs',
    exports: 'named',
    esModule: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] },
  });
}
