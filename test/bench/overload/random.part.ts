import { RANDOM_ERRORS } from '../../overload/random-errors.ts';
import type { Make } from '../../overload/worlds.ts';
import type { Part } from '../measure/part.ts';
import { COLUMNS } from './columns.ts';
import { SCHEMES } from './schemes.ts';

/** Without those that differ in an option of the throttle. */
const names = Object.keys(SCHEMES).filter((name) => !name.includes(', '));

export default {
  title: 'Errors that have nothing to do with the load',
  note: '500 requests a second for two minutes, a quarter of what the service can do, and a share of the answers is a 503, drawn anew for each. `attemptTimeoutMs` 1 s, five retries; one seed.',
  columns: COLUMNS,
  ranked: false,
  turned: true,
  inVirtualTime: true,
  rounds: 1,
  async rows() {
    return Object.keys(RANDOM_ERRORS).flatMap((group) => names.map((name) => ({ group, name })));
  },
  async measure({ group, name }) {
    return (await RANDOM_ERRORS[group]?.(SCHEMES[name] as Make)) ?? {};
  },
} satisfies Part;
