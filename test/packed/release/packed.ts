import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

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

/** The texts of the files in a tarball, by their paths in the package. */
function textsIn(tarball: Uint8Array): ReadonlyMap<string, string> {
  const bytes = gunzipSync(tarball);
  const texts = new Map<string, string>();
  for (let at = 0; bytes[at]; ) {
    const field = (from: number, to: number): string =>
      bytes.toString('utf8', at + from, at + to).replace(/\0.*$/s, '');
    const size = Number.parseInt(field(124, 136), 8);
    const name = field(0, 100).replace(/^package\//, '');
    if (name !== '' && !name.endsWith('/'))
      texts.set(name, bytes.toString('utf8', at + 512, at + 512 + size));
    at += 512 + 512 * Math.ceil(size / 512);
  }
  return texts;
}

/** Reads a tarball. */
export function packedAt(path: string): Packed {
  const tarball = new Uint8Array(readFileSync(path));
  const texts = textsIn(tarball);
  return {
    path,
    tarball,
    bytes: tarball.length,
    files: [...texts.keys()],
    text: (file) => texts.get(file) ?? '',
    manifest: JSON.parse(texts.get('package.json') ?? ''),
  };
}
