import { readFileSync, statSync } from 'node:fs';
import { RULES } from '../rules/rules.ts';
import { names, TOGETHER } from '../rules/together.ts';
import type { File } from './files.ts';

/** Bundles are larger, and programs are not. */
const MOST_BYTES = 2 ** 20;

/** The content of a file. */
export interface Content extends File {
  readonly bytes: Buffer;
  readonly text: string;
  /** Why the file cannot be rewritten as it is. */
  readonly unreadable?: string;
  /** True if the file can never be rewritten: related programs stay as well. */
  readonly stays: boolean;
}

function textOf(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return Buffer.from(text).equals(bytes) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** True for a text that loads one of the libraries, or has the options of one. */
export function namesLibrary(text: string): boolean {
  return Object.keys(RULES).some((library) => names(text, library));
}

/** True for a text that may have places to rewrite, or uses of a rewritten client. */
function isOfInterest(text: string): boolean {
  return namesLibrary(text) || Object.values(TOGETHER).some(({ uses }) => uses?.test(text));
}

/** @throws Error if it cannot be read */
export function contentOf(file: File): Content {
  if (statSync(file.real).size > 64 * MOST_BYTES) throw new Error('it is too large to be a program');
  const bytes = readFileSync(file.real);
  const text = textOf(bytes);
  // The names of libraries can be found in any encoding.
  const searched =
    text ??
    bytes
      .toString('latin1')
      .replace(/^(\xff\xfe|\xfe\xff)/, '')
      .replaceAll('\0', '');
  if (!isOfInterest(searched)) return { ...file, bytes: Buffer.alloc(0), text: '', stays: false };
  const content = { ...file, bytes, text: searched };
  if (bytes.length > MOST_BYTES) return { ...content, stays: true, unreadable: 'it is larger than 1 MB' };
  if (file.isEmbedding)
    return { ...content, stays: true, unreadable: 'only files that are all program are rewritten' };
  if (text === undefined)
    return { ...content, stays: false, unreadable: 'it is not UTF-8: convert it first' };
  return { ...content, stays: false };
}
