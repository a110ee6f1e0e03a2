import { posix } from 'node:path';
import { anchorsIn, linksIn, problemWith, undefinedIn } from '../../page-links.ts';
import type { Packed } from './packed.ts';
import type { Result } from './result.ts';

const REQUIRED = ['LICENSE', 'README.md', 'package.json'];

/** Sources, tests, their helpers, and what a build leaves behind. */
const UNWANTED = /\.test(-d)?\.|(^|\/)(src|test|node_modules)\/|\.tsbuildinfo$|(^|\/)tsconfig/;

/** The paths in a value of package.json, such as `exports`. */
function pathsIn(value: unknown): string[] {
  if (typeof value === 'string') return [posix.normalize(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(pathsIn) : [];
}

/** The files that a built file imports, with their declarations if it is one. */
function importsOf(file: string, text: string): string[] {
  const imported = text.matchAll(/(?:\bfrom|\bimport|\brequire\()\s*["'`](\.[^"'`]+)["'`]/g);
  return [...imported].map(([, specifier = '']) => {
    const path = posix.join(posix.dirname(file), specifier);
    return /\.d\.c?ts$/.test(file) ? path.replace(/\.(c?)js$/, '.d.$1ts') : path;
  });
}

/** The built files that users reach through `exports` and `bin`. */
function reachedIn({ manifest, files, text }: Packed): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file) || !files.includes(file)) return;
    reached.add(file);
    for (const path of importsOf(file, text(file))) visit(path);
  };
  const { exports, imports, bin } = manifest;
  for (const path of pathsIn([exports, imports, bin])) visit(path);
  // It says what the files beside it are.
  visit('dist/cjs/package.json');
  return reached;
}

/**
 * What is wrong with the links of the page that the registry shows. The registry resolves relative ones by `repository`, and other
 * readers in the package itself, which must have the file.
 */
function linkProblemsIn({ manifest, files, text }: Packed): string[] {
  const page = files.includes('README.md') ? text('README.md') : '';
  const from = `packages/${posix.basename(manifest.name)}/README.md`;
  const problemOf = (link: string): string | undefined => {
    if (link.startsWith('#')) return anchorsIn(page).includes(link.slice(1)) ? undefined : 'no such anchor';
    const [target = ''] = link.split('#');
    const isThere = /^[a-z]+:/.test(link) || files.includes(posix.normalize(target));
    return isThere ? problemWith(link, from) : 'not in the package';
  };
  const broken = linksIn(page).map((link) => [link, problemOf(link)]);
  return [
    ...broken
      .filter(([, problem]) => problem)
      .map(([link, problem]) => `README.md links to ${link}: ${problem}`),
    ...undefinedIn(page).map((name) => `README.md does not define the link [${name}]`),
  ];
}

/** Checks what is in each package: its papers, whose links lead somewhere, no sources or tests, and nothing left from an earlier build. */
export function checkContents(packed: readonly Packed[]): Result[] {
  return packed.map((one) => {
    const { files, manifest } = one;
    const built = files.filter((file) => /^dist\//.test(file));
    const reached = reachedIn(one);
    return {
      check: 'files',
      subject: manifest.name,
      figure: `${files.length} files, ${built.length} built`,
      problems: [
        ...REQUIRED.filter((name) => !files.includes(name)).map((name) => `${name} is missing`),
        ...files.filter((file) => UNWANTED.test(file)).map((file) => `${file} must not be published`),
        ...linkProblemsIn(one),
        ...(built.length === 0 ? ['nothing is built'] : []),
        ...built.filter((file) => !reached.has(file)).map((file) => `${file} is reached by no entry`),
      ],
    };
  });
}
