import type { Column } from '../measure/part.ts';

const column = (title: string, name: string, digits = 0): Column => ({
  title,
  value: (sample) => sample[name] ?? Number.NaN,
  digits,
});

export const COLUMNS: readonly Column[] = [
  column('answered, %', 'overall', 1),
  column('worst, %', 'worst'),
  column('in the trouble, %', 'during', 1),
  column('minute after, %', 'after', 1),
  column('back in, s (60: not)', 'back'),
  column('sends for a request', 'sends', 2),
  column('first chances skipped, %', 'skipped', 2),
  column('refused', 'refused'),
  column('p90, ms', 'p90'),
  column('p99, ms', 'p99'),
];
