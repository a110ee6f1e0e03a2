import { execFileSync } from 'node:child_process';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { expect, inject, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** The committed reports. `npx -y pnpm@12 api` writes them. */
const REPORTS = join(root, 'docs/api');

/** One entry of `exports`, except package.json. */
interface Door {
  /** The name that a user imports. */
  readonly name: string;
  /** The folder of the package. */
  readonly home: string;
  readonly declarations: string;
  /** The declarations of each `#name`. They are those of Node: every platform has the same types. */
  readonly paths: Readonly<Record<string, readonly string[]>>;
  readonly report: string;
}

interface Manifest {
  readonly name: string;
  readonly imports?: Readonly<
    Record<string, { readonly '@ebb/source': { readonly node?: string; readonly default: string } }>
  >;
  readonly exports: Readonly<Record<string, string | { readonly '@ebb/source': string }>>;
}

// Those of each file: in rolled-up ones a name that two files have gets a number.
const tsc = join(root, 'node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [tsc, '-b', 'packages'], { cwd: root });

const doors = globSync(join(root, 'packages/*/package.json')).flatMap((path): Door[] => {
  const home = dirname(path);
  const { name, exports, imports = {} } = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  const declarationsOf = (source: string): string =>
    join(home, source.replace(/^\.\/src\/(.*)\.ts$/, '.types/$1.d.ts'));
  const paths = Object.fromEntries(
    Object.entries(imports).map(([from, { '@ebb/source': source }]) => {
      return [from, [declarationsOf(source.node ?? source.default)]];
    }),
  );
  return Object.entries(exports).flatMap(([door, entry]) => {
    if (typeof entry === 'string') return [];
    const report = `${basename(home)}${door.slice(1).replaceAll('/', '.')}.api.md`;
    const declarations = declarationsOf(entry['@ebb/source']);
    return [{ name: name + door.slice(1), home, declarations, paths, report }];
  });
});

const compilerOptions = {
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable', 'esnext.disposable'],
  module: 'nodenext',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
};

/** The declarations that can be reached through a door, sorted, without their comments. */
function surfaceOf({ home, declarations, paths, report }: Door): string {
  const config = ExtractorConfig.prepare({
    configObject: {
      projectFolder: home,
      mainEntryPointFilePath: declarations,
      newlineKind: 'lf',
      compiler: {
        overrideTsconfig: { compilerOptions: { ...compilerOptions, paths }, files: [declarations] },
      },
      apiReport: {
        enabled: true,
        includeForgottenExports: true,
        reportFileName: report,
        reportFolder: inject('folder'),
        reportTempFolder: inject('folder'),
      },
      messages: { compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } } },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(home, 'package.json'),
  });
  const errors: string[] = [];
  Extractor.invoke(config, {
    localBuild: true,
    messageCallback: (message) => {
      if (message.logLevel === ExtractorLogLevel.Error) errors.push(message.formatMessageWithLocation(home));
      message.handled = true;
    },
  });
  expect(errors).toEqual([]);
  const [, code = ''] =
    /^```ts\n(.*?)^```$/ms.exec(readFileSync(join(inject('folder'), report), 'utf8')) ?? [];
  return withoutComments(code);
}

/** The additions of the first door to the types of its client, which API Extractor leaves out. */
function additionsOf({ home, name }: Door): string {
  if (name.split('/').length > 2) return '';
  const sources = globSync(join(home, 'src/**/*.ts'), { exclude: ['**/*.test.ts', '**/*.test-d.ts'] }).sort();
  return sources
    .flatMap((path) => readFileSync(path, 'utf8').match(/^declare module .*?^\}\n/gms) ?? [])
    .map(withoutComments)
    .join('\n');
}

function withoutComments(code: string): string {
  return code.replace(/^ *\/\*\*.*?\*\/\n/gms, '').replace(/^ *\/\/.*\n/gm, '');
}

function reportOf(door: Door): string {
  const code = [surfaceOf(door), additionsOf(door)].map((part) => part.trim()).filter(Boolean);
  return `# \`${door.name}\`

What this door makes public, without comments. [API Extractor](https://api-extractor.com) reads it from the
declarations; \`npx -y pnpm@12 api\` writes this page, and a test compares it.

\`\`\`ts
${code.join('\n\n')}
\`\`\`
`;
}

test.each(doors)('the public names of $name are those of its report', async (door) => {
  await expect(reportOf(door)).toMatchFileSnapshot(join(REPORTS, door.report));
});

test('every report belongs to a door', () => {
  const reports = doors.map(({ report }) => report);
  expect(readdirSync(REPORTS).filter((name) => !reports.includes(name))).toEqual([]);
});
