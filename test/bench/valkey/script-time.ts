// How long the server needs for a lease, by the number of units.
import { Redis } from 'iovalkey';
import { SCRIPT, SCRIPT_SHA1 } from '../../../packages/valkey/src/script.ts';

const ROUNDS = 5;
const CALLS = 5_000;

/** The least of some rounds, which take turns, in microseconds a call. */
export async function scriptTimes(url: string, units: readonly number[]): Promise<readonly number[]> {
  const client = new Redis(url);
  await client.script('LOAD', SCRIPT);
  const least = units.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, count] of units.entries()) {
      await client.config('RESETSTAT');
      const list = (number: number): string => new Array(count).fill(number).join(' ');
      const [rates, capacities, amounts] = [list(1e6), list(1e12), list(1e6)];
      let state = '';
      for (let call = 0; call < CALLS; call += 1) {
        const common = ['lease', rates, capacities, state, '0', '0'];
        const args = [...common, amounts, list(5e6), '', list(3e6), '-1'];
        const reply = await client.evalsha(SCRIPT_SHA1, 1, `units ${count}`, ...args);
        state = (reply as string[])[7] ?? '';
      }
      const [, time] =
        /cmdstat_evalsha:.*usec_per_call=([\d.]+)/.exec(await client.info('commandstats')) ?? [];
      least[at] = Math.min(least[at] as number, Number(time));
    }
  }
  client.disconnect();
  return least;
}
