import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './bundle.ts';
import type { Package } from './packages.ts';
import { rollUpTypes } from './types.ts';

/** Builds what is published into `dist` of the package, from scratch. */
export async function buildPackage(one: Package): Promise<void> {
  rmSync(join(one.home, 'dist'), { recursive: true, force: true });
  await Promise.all([bundle(one), rollUpTypes(one)]);
}
