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
}

/** A package as it would be published. */
export interface Packed {
  readonly path: string;
  readonly tarball: Uint8Array<ArrayBuffer>;
  readonly bytes: number;
  /** The paths in the package. */
  readonly files: readonly string[];
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
    files: list.map((name) => name.replace(/^package\//, '')),
    manifest: JSON.parse(manifest),
  };
}
