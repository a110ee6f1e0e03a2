import { PROGRAMS } from './programs.ts';
import { sizeOf } from './size.ts';
const F = PROGRAMS['@ebb/fetch'] as string;
const U = PROGRAMS['@ebb/undici'] as string;
const f = async (p: 'web' | 'node') => (await sizeOf(`${F} export { resuming } from '@ebb/fetch/resuming';`, p)).brotli - (await sizeOf(F, p)).brotli;
console.log(await f('web'), await f('node'), (await sizeOf(U, 'web')).brotli, (await sizeOf(U, 'node')).brotli);
