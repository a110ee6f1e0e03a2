import { STUDIES } from './studies.ts';
import type { Study } from './study.ts';

/** The studies whose figures stand in the repository, with the seed that each has by default. */
export const GOLDEN_STUDIES: readonly Study[] = STUDIES.filter(({ name }) =>
  ['aws', 'rules', 'app-engine', 'api-gateway', 'treatments', 'storm'].includes(name),
);
