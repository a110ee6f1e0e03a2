import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';

/** The fields of a packed package.json that the checks read. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly repository?: { readonly type?: string; readonly url?: string; readonly directory?: string };
  readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly exports?: unknown;
  readonly imports?: unknown;
  readonly bin?: unknown;
}

/** A package as it would be published. */
export interface Packed {
  readonly path: string;
  readonly tarball: Uint8Array<ArrayBuffer>;
  readonly bytes: number;
  /** The paths in the package. */
  readonly files: readonly string[];
  /** The text of one of them. */
  text(file: string): string;
  readonly manifest: Manifest;
}

/** Reads a tarball. */
export function packedAt(path: string): Packed {
  const list = execFileSync('tar', ['-tzf', path]).toString().trim().split('\n');
  const manifest = execFileSync('tar', ['-xzOf', path, 'package/package.json']).toString();
  return {
    path,
    tarball: new Uint8Array(readFileSync(path)),
    bytes: statSync(path).size,
    files: list.filter((name) => !name.endsWith('/')).map((name) => name.replace(/^package\//, '')),
    text: (file) =>
      execFileSync('tar', ['-xzOf', path, `package/${file}`], { maxBuffer: 2 ** 26 }).toString(),
    manifest: JSON.parse(manifest),
  };
}
