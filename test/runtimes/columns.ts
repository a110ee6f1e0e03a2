import { chromium } from './chromium.ts';
import { command } from './command.ts';
import type { Startable } from './runtime.ts';
import { workerd } from './workerd.ts';

const installed = (path: string): string => new URL(`node_modules/${path}`, import.meta.url).pathname;
const deno = [
  'run',
  '--v8-flags=--expose-gc',
  '--allow-all',
  '--no-config',
  '--node-modules-dir=manual',
  '--quiet',
];

/** The columns of the grid. */
export const columns: readonly Startable[] = [
  command('Node 20.19', installed('node20/bin/node'), '--expose-gc'),
  command('Node 22', installed('node22/bin/node'), '--expose-gc'),
  command('Node 24', installed('../../../node_modules/node/bin/node'), '--expose-gc'),
  command('Node 26', installed('node26/bin/node'), '--expose-gc'),
  command('Bun', installed('.bin/bun'), 'run'),
  command('Deno', installed('.bin/deno'), ...deno),
  chromium,
  workerd,
];
