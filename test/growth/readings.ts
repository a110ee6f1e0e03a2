import { fromFiles } from './files.ts';
import type { Reading } from './reading.ts';
import { fromServers } from './servers.ts';
import { fromStores } from './stores.ts';

/** Everything whose instructions are counted. */
export const READINGS: readonly Reading[] = [...fromServers, ...fromStores, ...fromFiles];
