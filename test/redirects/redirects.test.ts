import * as undici from 'undici';
import { clientsOf, ownRedirects, testRedirects } from './rows.ts';

// The other rows are played in versions.test.ts.
testRedirects({ ...ownRedirects, ...clientsOf('8.12', undici) }, 'quick');
