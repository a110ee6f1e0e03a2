import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** A file, and what it is to hold. */
export interface Change {
  /** Without links. */
  readonly real: string;
  readonly before: Buffer;
  readonly after: Buffer;
}

/** Why a file cannot be written; `undefined` if it can. */
export function obstacle(real: string): string | undefined {
  const stat = lstatSync(real);
  if (!stat.isFile()) return 'it is no plain file';
  // Root may write it all the same.
  if ((stat.mode & 0o222) === 0) return 'it is read-only';
  try {
    accessSync(real, constants.W_OK);
    accessSync(dirname(real), constants.W_OK);
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
}

let count = 0;

/** Writes a new file beside another, with its owner and mode. Returns its path. */
function writeBeside({ real, after }: Change): string {
  count += 1;
  const path = join(dirname(real), `.ebb-migrate-${process.pid}-${count}`);
  const file = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(file, after);
    const { uid, gid, mode } = lstatSync(real);
    const own = fstatSync(file);
    if (own.uid !== uid || own.gid !== gid) fchownSync(file, uid, gid);
    fchmodSync(file, mode & 0o7777);
    fsyncSync(file);
    return path;
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Puts a new file in the place of one that is as it was read. */
function replace({ real, before }: Change, path: string): void {
  if (!readFileSync(real).equals(before)) throw new Error(`${real} has changed meanwhile`);
  renameSync(path, real);
}

/**
 * Writes all files, or none: each first beside its place, so that a full disk or a crash leaves the originals.
 *
 * @throws Error if one cannot be written
 */
export function writeAll(changes: readonly Change[]): void {
  const written: [Change, string][] = [];
  const done: Change[] = [];
  try {
    for (const change of changes) written.push([change, writeBeside(change)]);
    for (const [change, path] of written) {
      replace(change, path);
      done.push(change);
    }
  } catch (error) {
    for (const { real, before, after } of done) {
      const back = { real, before: after, after: before };
      replace(back, writeBeside(back));
    }
    for (const [, path] of written) rmSync(path, { force: true });
    throw error;
  }
}
