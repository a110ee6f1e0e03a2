import type { Study } from '../study.ts';
import { type ChainResult, chain } from './world.ts';

/** The capacity of the last service, as a share of the requests of the first client. */
const CAPACITIES: Readonly<Record<string, number>> = {
  '120 %': 1.2,
  '90 %': 0.9,
  '50 %': 0.5,
  '10 %': 0.1,
  down: 0,
};

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** A chain of three clients that retry, with and without deadlines between the services. */
export const deadlines: Study = {
  name: 'deadlines',
  shows: 'a chain of services that retry, with the last overloaded',
  figures: [],
  run({ seed, onProgress } = {}) {
    const cases = Object.entries(CAPACITIES).flatMap(([name, capacity]) =>
      [false, true].map((isShared) => ({ name, capacity, isShared })),
    );
    const all = cases.map((one, at) => {
      const found: ChainResult = chain(one.capacity, one.isShared, seed);
      onProgress?.((at + 1) / cases.length);
      return { ...one, found };
    });
    return {
      table: {
        columns: ['capacity', 'deadlines', 'sends', 'answered'],
        rows: all.map(({ name, isShared, found }) => [
          name,
          isShared ? 'with' : 'without',
          found.sends.toFixed(1),
          percent(found.answered),
        ]),
        legend: [
          'capacity: of the last service, as a share of the requests of the first client',
          'deadlines: deadline() and remainingFrom of @ebb/core/deadlines; each client has three retries, and waits for 10 s',
          'sends: requests at the last service for each request of the first client',
        ].join('\n'),
      },
      figures: [],
      csv: {
        columns: ['capacity', 'deadlines', 'sends', 'answered'],
        rows: all.map(({ capacity, isShared, found }) => [
          ...[capacity, Number(isShared)],
          ...[found.sends, found.answered].map((value) => Number(value.toFixed(4))),
        ]),
      },
      data: all,
    };
  },
};
