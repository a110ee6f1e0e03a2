import { OTHER_WORLDS } from '../../overload/other-worlds.ts';
import { type Make, WORLDS } from '../../overload/worlds.ts';
import type { Part } from '../measure/part.ts';
import { COLUMNS } from './columns.ts';
import { SCHEMES } from './schemes.ts';

/** The worlds that no other part has. */
const names = Object.keys(WORLDS).filter((name) => !(name in OTHER_WORLDS));

export default {
  title: 'A service in trouble, and its clients',
  note: 'All clients have an `attemptTimeoutMs` of one second. 500 requests a second, 0.9 of the capacity, and a queue of two seconds. In the storm half of the capacity is gone for a minute. More than 100 %: requests that were put off are answered as well.',
  columns: COLUMNS,
  ranked: false,
  turned: true,
  inVirtualTime: true,
  rounds: 1,
  async rows() {
    return names.flatMap((group) => Object.keys(SCHEMES).map((name) => ({ group, name })));
  },
  async measure({ group, name }) {
    return (await WORLDS[group]?.(SCHEMES[name] as Make)) ?? {};
  },
} satisfies Part;
