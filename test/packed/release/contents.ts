import type { Packed } from './packed.ts';
import type { Result } from './result.ts';

const REQUIRED = ['LICENSE', 'README.md', 'package.json'];

/** Tests, their helpers, and what a build leaves behind. */
const UNWANTED = /\.test(-d)?\.|(^|\/)(test|node_modules)\/|\.tsbuildinfo$|(^|\/)tsconfig/;

/** The source of a built file. */
const sourceOf = (file: string): string => file.replace(/^(dist|cjs)\/(.*)\.js$/, 'src/$2.ts');

/** Checks what is in each package: its papers, no tests, and nothing left from an earlier build. */
export function checkContents(packed: readonly Packed[]): Result[] {
  return packed.map(({ files, manifest }) => {
    const built = files.filter((file) => /^(dist|cjs)\/.*\.js$/.test(file));
    return {
      check: 'files',
      subject: manifest.name,
      figure: `${files.length} files, ${built.length} built`,
      problems: [
        ...REQUIRED.filter((name) => !files.includes(name)).map((name) => `${name} is missing`),
        ...files.filter((file) => UNWANTED.test(file)).map((file) => `${file} must not be published`),
        ...(built.length === 0 ? ['nothing is built'] : []),
        ...built.filter((file) => !files.includes(sourceOf(file))).map((file) => `${file} has no source`),
      ],
    };
  });
}
