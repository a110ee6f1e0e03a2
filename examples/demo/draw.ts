/** Plays the first act of the demo, and draws it: timeline.svg. The waits are random, so each picture differs a little. */
import { writeFileSync } from 'node:fs';
import { acts } from './acts.ts';
import { pictureOf } from './picture.ts';
import { playEbb } from './play.ts';

const [failover] = acts;
if (failover === undefined) throw new Error('the demo has no act');
const { lanes } = await playEbb(failover);
const startMs = Math.min(...lanes.flatMap(({ states }) => states.map(({ atMs }) => atMs)));
const title = 'Six requests get 503 and 500 for 1.8 s, wait longer each time, and are all answered';
writeFileSync(new URL('timeline.svg', import.meta.url), pictureOf(lanes, startMs, title));
