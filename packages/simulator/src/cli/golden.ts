import { STUDIES } from '../studies/studies.ts';
import type { Study } from '../studies/study.ts';
import { recordedGrid } from './recorded-grid.ts';

const RACES_AND_BUCKETS = ['aws', 'rules', 'app-engine', 'api-gateway', 'treatments', 'storm'];
const STRATEGIES = [
  'retry-after',
  'timeouts',
  'adaptive',
  'concurrency',
  'estimates',
  'fleet-budget',
  'storm-fleets',
  'silence',
  'shard',
  'comes-back',
  'grid-outside',
  'hedges',
  'tail',
  'slots',
  'tenants',
  'processes',
  'priorities',
];
const GOLDEN = new Set([...RACES_AND_BUCKETS, ...STRATEGIES]);

/** The studies whose figures are in the repository, drawn with the default seed of each. The grid is drawn from recorded runs. */
export const GOLDEN_STUDIES: readonly Study[] = [
  ...STUDIES.filter(({ name }) => GOLDEN.has(name)),
  recordedGrid,
];
