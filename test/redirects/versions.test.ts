import * as undici730 from 'undici7';
import * as undici70 from 'undici7.0';
import * as undici80 from 'undici8.0';
import { clientsOf, testRedirects, type Undici } from './rows.ts';

const versions = { '7.0': undici70, '7.30': undici730, '8.0': undici80 };

for (const [version, undici] of Object.entries(versions)) {
  testRedirects(clientsOf(version, undici as unknown as Undici));
}
