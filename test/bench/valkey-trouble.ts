// What a fleet spends while its store is away, slow or far, in virtual time.
// Run: pnpm bench valkey-trouble
import { type ClosedLoop, play } from '../../packages/valkey/test/closed-loop.ts';
import { type Phase, spendInTrouble } from '../../packages/valkey/test/fleet-trouble.ts';
import { printTable } from './measure/markdown.ts';

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
const AWAY: Phase = { lastsMs: 20_000, health: 'refusing' };
const BUSY: Phase = { lastsMs: 5_000 };

/** What the fleet spends in the last phase. */
async function last(processes: number, phases: readonly Phase[], apartMs = 0): Promise<string> {
  const { shares } = await spendInTrouble({ processes, rate: 400, askers: 16, apartMs, phases });
  return percent(shares.at(-1) ?? 0);
}

const both = async (name: string, phases: readonly Phase[], apartMs = 0): Promise<string[]> => [
  name,
  await last(8, phases, apartMs),
  await last(32, phases, apartMs),
];

printTable(
  "onStoreError 'local', 400/s: part of the rate that a saturated fleet spends",
  ['before, and then', '8 processes', '32 processes'],
  [
    await both('saturated; the store is away', [BUSY, AWAY]),
    ...(await Promise.all(
      [3, 10, 30].map((seconds) =>
        both(`one request in ${seconds} s each; the store is away`, [
          { lastsMs: 300_000, quietMs: seconds * 1_000 },
          AWAY,
        ]),
      ),
    )),
    await both(
      'started 2.5 s apart, one request in 10 s each; away a minute later',
      [{ lastsMs: 60_000, quietMs: 10_000 }, AWAY],
      2_500,
    ),
    await both('the same; away a second later', [{ lastsMs: 1_000, quietMs: 10_000 }, AWAY], 2_500),
    ...(await Promise.all(
      [240, 260, 1_000].map((roundTripMs) =>
        both(`saturated; a round trip of ${roundTripMs} ms`, [BUSY, { lastsMs: 30_000, roundTripMs }]),
      ),
    )),
  ],
);

const far: string[][] = [];
for (const roundTripMs of [0.5, 50, 100, 200]) {
  const load = {
    rate: 1_000,
    capacity: 200,
    costs: [1],
    askers: 16,
    seconds: 20,
    latencyMs: roundTripMs / 2,
  };
  const of = (more: Partial<ClosedLoop>, processes: number) =>
    play({ ...load, ...more, processes }, 'shared');
  const [one, eight, open] = [await of({}, 1), await of({}, 8), await of({ openLoad: 0.9 }, 8)];
  far.push([
    `${roundTripMs} ms`,
    percent(one.share),
    percent(eight.share),
    eight.parts.map((part) => part.toFixed(2)).join(' to '),
    `${percent(open.share)}, ${open.p50Ms.toFixed(0)} ms`,
  ]);
}
printTable(
  '1,000/s, 16 callers per process, 20 s from a cold start',
  ['round trip', 'one process', '8 processes', 'parts of a fair share', 'load of 90 %: used, median wait'],
  far,
);
