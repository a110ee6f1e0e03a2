import type { Column } from '../measure/part.ts';

export const column = (title: string, name: string, digits = 0): Column => ({
  title,
  value: (sample) => sample[name] ?? Number.NaN,
  digits,
});

export const COLUMNS: readonly Column[] = [
  column('answered, %', 'overall', 1),
  column('answered in the worst run, %', 'worst'),
  column('answered in the minute after, %', 'after', 1),
  column('back in, s (60: not)', 'back'),
  column('sends for a request', 'sends', 2),
  column('first attempts skipped, %', 'skipped', 2),
  column('requests refused', 'refused'),
  column('p90 of the answers, ms', 'p90'),
  column('p99 of the answers, ms', 'p99'),
];
