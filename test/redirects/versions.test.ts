import * as undici812 from 'undici';
import * as undici730 from 'undici7';
import * as undici70 from 'undici7.0';
import * as undici80 from 'undici8.0';
import { clientsOf, ownRedirects, testRedirects, type Undici } from './rows.ts';

const versions = { '7.0': undici70, '7.30': undici730, '8.0': undici80 };

testRedirects({ ...ownRedirects, ...clientsOf('8.12', undici812) }, 'others');
for (const [version, undici] of Object.entries(versions)) {
  testRedirects(clientsOf(version, undici as unknown as Undici));
}
