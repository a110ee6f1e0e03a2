import * as undici from 'undici';
import { clientsOf, ownRedirects, testRedirects } from './rows.ts';

testRedirects({ ...ownRedirects, ...clientsOf('8.12', undici) });
