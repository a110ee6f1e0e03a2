import { OTHER_WORLDS } from '../../overload/other-worlds.ts';
import type { Make } from '../../overload/worlds.ts';
import type { Part } from '../measure/part.ts';
import { COLUMNS } from './columns.ts';
import { SCHEMES } from './schemes.ts';

/** Without those that differ in an option of the throttle. */
const names = Object.keys(SCHEMES).filter((name) => !name.includes(', '));

export default {
  title: 'Services that the throttle was not made for',
  note: 'Clients and load as above.',
  columns: COLUMNS.slice(0, 1),
  ranked: false,
  turned: true,
  inVirtualTime: true,
  rounds: 1,
  async rows() {
    return Object.keys(OTHER_WORLDS).flatMap((group) => names.map((name) => ({ group, name })));
  },
  async measure({ group, name }) {
    return (await OTHER_WORLDS[group]?.(SCHEMES[name] as Make)) ?? {};
  },
} satisfies Part;
