import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf, sourceTargets } from './imports.ts';
import { type Package, SOURCE } from './packages.ts';

type Fields = Record<string, unknown>;

/** What `exports` says of a door to users. */
function entryOf(name: string): Fields {
  return {
    import: {
      types: `./dist/types/${name}.d.ts`,
      // Under `production` a `#name` decides what is left out.
      production: `./dist/${name}.js`,
      node: `./dist/node/${name}.js`,
      default: `./dist/${name}.js`,
    },
    require: { types: `./dist/types/${name}.d.cts`, default: `./dist/cjs/${name}.js` },
  };
}

/** What `imports` says to users. */
function publishedImports(one: Package): Record<string, Fields> {
  return Object.fromEntries(
    Object.entries(sourceTargets(one)).map(([name, conditions]) => {
      const built = Object.entries(conditions).map(([condition, target]) => [
        condition,
        `./dist/${outputOf(target)}.js`,
      ]);
      return [name, Object.fromEntries(built)];
    }),
  );
}

/** The fields of package.json that follow from its doors and `imports`. */
function derivedFields(one: Package): Fields {
  const { manifest, doors } = one;
  const nameOf = (door: string): string => (door === '.' ? 'index' : door.slice(2));
  const published = Object.entries(manifest.exports).map(([door, entry]) => {
    return [door, typeof entry === 'string' ? entry : entryOf(nameOf(door))] as const;
  });
  const resolved = published.map(([door, entry]) => {
    const declared = manifest.exports[door];
    if (typeof entry === 'string' || typeof declared !== 'object') return [door, entry] as const;
    return [door, { [SOURCE]: declared[SOURCE], ...entry }] as const;
  });
  const imports = Object.entries(publishedImports(one));
  const withSources = imports.map(([name, built]) => [name, { ...manifest.imports?.[name], ...built }]);
  const further = doors.filter(({ name }) => name !== 'index');
  return {
    main: './dist/cjs/index.js',
    module: './dist/index.js',
    types: './dist/types/index.d.cts',
    // For `moduleResolution: node10`, which does not read `exports`.
    ...(further.length > 0 && {
      typesVersions: {
        '*': Object.fromEntries(further.map(({ name }) => [name, [`./dist/types/${name}.d.cts`]])),
      },
    }),
    ...(imports.length > 0 && { imports: Object.fromEntries(withSources) }),
    exports: Object.fromEntries(resolved),
    publishConfig: {
      access: 'public',
      provenance: true,
      exports: Object.fromEntries(published),
      ...(imports.length > 0 && { imports: Object.fromEntries(imports) }),
    },
  };
}

/** The text of package.json with the derived fields. */
function completed(one: Package): string {
  const before: Fields = JSON.parse(readFileSync(join(one.home, 'package.json'), 'utf8'));
  return `${JSON.stringify({ ...before, ...derivedFields(one) }, undefined, 2)}\n`;
}

/**
 * Writes what is missing in package.json.
 *
 * @throws Error in CI, where nothing that is written would be committed
 */
export function complete(one: Package, inCi = Boolean(process.env.CI)): void {
  const path = join(one.home, 'package.json');
  const text = completed(one);
  if (readFileSync(path, 'utf8') === text) return;
  if (inCi) throw new Error(`${path} lacks what follows from its doors: \`pnpm build\` completes it`);
  writeFileSync(path, text);
}
