import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { modulesOf, ownImportsOf, packageOf, sources, textOf } from './sources.ts';

/** A program of a package whose other files import nothing of Node. */
const PROGRAM = /^packages\/valkey\/src\/cli[./]/;

/** What each package may import beside its own files. */
const allowed: Readonly<Record<string, readonly RegExp[]>> = {
  core: [/^#(nested|channels|platform|worker|dev-text)$/],
  fetch: [/^#platform$/, /^@ebb\/core(\/adapter|\/deduplicate|\/failover)?$/],
  axios: [/^#platform$/, /^@ebb\/core(\/adapter|\/deduplicate|\/failover)?$/, /^axios$/],
  undici: [/^@ebb\/core(\/adapter)?$/, /^undici$/, /^node:/],
  valkey: [/^@ebb\/core(\/bucket)?$/],
  workers: [/^@ebb\/core(\/bucket)?$/],
  // It loads the client by its name.
  'valkey program': [/^@ebb\/core\/bucket$/, /^node:/],
  hedge: [
    /^@ebb\/core(\/adapter|\/internal)?$/,
    /^@ebb\/(fetch|axios|undici)(\/internal)?$/,
    /^(axios|undici)$/,
  ],
  resume: [/^@ebb\/core(\/adapter|\/internal)?$/, /^@ebb\/(fetch|undici)(\/internal)?$/, /^undici$/],
  compat: [/^@ebb\/core(\/internal)?$/],
  providers: [/^@ebb\/core(\/bucket|\/internal)?$/],
  opentelemetry: [/^@ebb\/core$/, /^@opentelemetry\/api$/],
  testing: [/^@ebb\/core(\/adapter|\/bucket|\/testing)?$/, /^@ebb\/providers$/],
  simulator: [
    /^@ebb\/core(\/adapter|\/bucket|\/deadlines|\/testing)?$/,
    /^@ebb\/(hedge\/internal|hedge|providers|testing\/faults)$/,
    /^node:/,
  ],
  migrate: [/^@ast-grep\/napi$/, /^diff$/, /^node:/],
};

describe('imports', () => {
  test('every package has its rule', () => {
    expect(Object.keys(allowed)).toEqual(expect.arrayContaining([...new Set(sources.map(packageOf))]));
  });

  test('every file imports what its package may', () => {
    const wrong = sources.flatMap((path) => {
      const foreign = modulesOf(path).filter((from) => !from.startsWith('.'));
      const rules = allowed[PROGRAM.test(path) ? 'valkey program' : packageOf(path)] ?? [];
      return foreign
        .filter((from) => !rules.some((rule) => rule.test(from)))
        .map((from) => `${path}: ${from}`);
    });
    expect(wrong).toEqual([]);
  });

  // Its main door has every limit, which an import of a client would load as well.
  test('clients import types alone from the main door of core', () => {
    const values = sources.filter(
      (path) =>
        /^(fetch|axios|undici)$/.test(packageOf(path)) &&
        /^import (?!type\b)[^;]*? from '@ebb\/core'/m.test(textOf.get(path) ?? ''),
    );
    expect(values).toEqual([]);
  });

  test('no file imports itself, directly or through others', () => {
    const done = new Set<string>();
    const visit = (path: string, trail: readonly string[]): void => {
      expect(trail, [...trail, path].join(' → ')).not.toContain(path);
      if (done.has(path)) return;
      for (const from of ownImportsOf(path)) visit(from, [...trail, path]);
      done.add(path);
    };
    for (const path of sources) visit(path, []);
    expect(done.size).toBe(sources.length);
  });

  test('no package reaches into another one’s files', () => {
    for (const path of sources) {
      for (const from of modulesOf(path).filter((name) => name.startsWith('.'))) {
        expect(packageOf(normalize(join(dirname(path), from))), `${path}: ${from}`).toBe(packageOf(path));
      }
    }
  });
});

/** The rooms of a package, in the order in which they may import: each from itself and from those after it. */
const houses = {
  core: {
    doors: [
      ...['adapter.ts', 'bucket.ts', 'deadlines.ts', 'deduplicate.ts', 'failover.ts'],
      ...['idempotency.ts', 'index.ts'],
      ...['internal.ts', 'quotas.ts', 'stale-connections.ts', 'testing.ts'],
    ],
    rooms: [
      'plugins',
      'limits',
      'queue',
      'retry',
      'call',
      'policy',
      'nested',
      'events',
      'bodies',
      'backoff',
      'http',
      'platform',
      'base',
    ],
  },
  // Two rooms that know nothing of each other: see below.
  testing: { doors: ['faults.ts', 'index.ts'], rooms: ['suite', 'faults'] },
  migrate: { doors: ['cli.ts', 'index.ts'], rooms: ['cli', 'rules', 'file', 'emitted'] },
  simulator: {
    doors: ['cli.ts', 'index.ts'],
    rooms: ['cli', 'studies', 'race', 'simulation', 'measure', 'scenario', 'engine', 'chart'],
  },
};

describe.each(Object.entries(houses))('rooms of %s', (name, { doors, rooms }) => {
  const files = sources.filter((path) => packageOf(path) === name);
  const rank = (path: string): number => rooms.indexOf(path.split('/')[3] ?? '');

  test('every file is a door or stands in a room', () => {
    const outside = files.filter((path) => rank(path) < 0);
    expect(outside.sort()).toEqual(doors.map((door) => `packages/${name}/src/${door}`));
  });

  test('every file imports from its own room or a lower one', () => {
    for (const path of files.filter((path) => rank(path) >= 0)) {
      for (const from of modulesOf(path).filter((name) => name.startsWith('.'))) {
        const to = rank(normalize(join(dirname(path), from)));
        expect(to, `${path}: ${from}`).toBeGreaterThanOrEqual(rank(path));
      }
    }
  });
});

test.each(['anthropic', 'github', 'openai', 'shopify'])(
  'the preset %s brings no limit: its limits stand apart',
  async (name) => {
    const { metafile } = await build({
      stdin: { contents: `export { ${name} } from '@ebb/providers'`, resolveDir: 'test' },
      conditions: ['@ebb/source'],
      bundle: true,
      format: 'esm',
      platform: 'neutral',
      write: false,
      metafile: true,
    });
    const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
    const brought = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
    expect(brought.join()).toContain(`providers/src/${name}.ts`);
    expect(brought.filter((path) => /core\/src\/(limits|queue)\//.test(path))).toEqual([]);
  },
);

test('the suite for adapters and the faults import their own files and doors of core, so any adapter can pass the suite', () => {
  for (const room of ['suite', 'faults']) {
    const home = `packages/testing/src/${room}/`;
    const files = sources.filter((path) => path.startsWith(home));
    expect(files.length).toBeGreaterThan(5);
    const outside = files.flatMap((path) => ownImportsOf(path)).filter((path) => !path.startsWith(home));
    expect(outside, room).toEqual([]);
  }
});

test('perKey imports no limit: a program bundles only those that it makes', () => {
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const code = (textOf.get(path) ?? '').replace(/^import type .*?;$/gms, '');
    const values = [...code.matchAll(/from '(\.[^']+)'/g)].map(([, from]) => from as string);
    for (const from of values) visit(normalize(join(dirname(path), from)));
  };
  visit('packages/core/src/limits/per-key/per-key.ts');
  const limits = [...seen].filter((path) => /src\/(queue|limits\/(bucket|concurrency|budget))\//.test(path));
  expect(limits).toEqual([]);
  expect(seen.size).toBeGreaterThan(5);
});

test('the queue of core imports no bucket', () => {
  for (const path of sources.filter((path) => path.startsWith('packages/core/src/queue/'))) {
    expect(modulesOf(path).filter((from) => from.includes('/bucket/'))).toEqual([]);
  }
});

describe('globals', () => {
  const TIME = /\b(Date\.now|new Date\(\)|performance\.|setTimeout|setInterval|setImmediate|Math\.random)\b/;
  // The second has bounds of real time, for tests.
  const timers = ['base/clock', 'testing'].map((name) => `packages/core/src/${name}.ts`);
  /** Programs, which live in real time by their nature, and the text of others. */
  const programs = /^packages\/((simulator|valkey)\/src\/cli[./]|migrate\/src\/emitted\/)/;

  test('every file but those of the clock takes time and chance from its clock', () => {
    const taking = sources
      .filter((path) => !programs.test(path))
      .filter((path) => TIME.test((textOf.get(path) ?? '').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')));
    expect(taking.sort()).toEqual([...timers].sort());
  });
});

describe('packages', () => {
  const manifests = globSync('packages/*/package.json').map((path) => {
    return [path, JSON.parse(readFileSync(path, 'utf8')) as Record<string, never>] as const;
  });

  test('core depends on nothing, the others on core alone, but the suite has costs, the simulator hedges, costs and faults, and the codemod its tools', () => {
    const others: Readonly<Record<string, readonly string[]>> = {
      core: [],
      migrate: ['@ast-grep/napi', 'diff'],
      testing: ['@ebb/core', '@ebb/providers'],
      simulator: ['@ebb/core', '@ebb/hedge', '@ebb/providers', '@ebb/testing'],
    };
    for (const [path, manifest] of manifests) {
      const dependencies = Object.keys(manifest.dependencies ?? {});
      expect(dependencies, path).toEqual(others[packageOf(path)] ?? ['@ebb/core']);
    }
  });

  test('all have one version, one licence, and a README', () => {
    expect(new Set(manifests.map(([, { version, license }]) => `${version} ${license}`)).size).toBe(1);
    for (const [path] of manifests) {
      expect(readFileSync(path.replace('package.json', 'README.md'), 'utf8'), path).toMatch(/^# @ebb\//);
    }
  });

  test('what is published is what is resolved, less the way to the sources', () => {
    for (const [path, { exports, publishConfig }] of manifests as [string, Record<string, never>][]) {
      const bare = JSON.parse(
        JSON.stringify(exports, (key, value) => (key === '@ebb/source' ? undefined : value)),
      );
      expect((publishConfig as unknown as { exports: unknown }).exports, path).toEqual(bare);
    }
  });
});

test('the platforms have the same names, and so have devText and no devText', async () => {
  const { imports } = JSON.parse(readFileSync('packages/core/package.json', 'utf8')) as {
    imports: Record<string, { readonly '@ebb/source': Record<string, string> }>;
  };
  for (const [name, { '@ebb/source': variants }] of Object.entries(imports)) {
    const modules = [...new Set(Object.values(variants))].map(async (file) => {
      return Object.keys((await import(join('../packages/core', file))) as object).sort();
    });
    const [first, ...others] = await Promise.all(modules);
    expect(others.length, name).toBeGreaterThan(0);
    for (const other of others) expect(other, name).toEqual(first);
  }
});
