import { STUDIES } from './studies.ts';
import type { Study } from './study.ts';

/** The studies whose figures are in the repository, drawn with the default seed of each. */
export const GOLDEN_STUDIES: readonly Study[] = STUDIES.filter(({ name }) =>
  ['aws', 'rules', 'app-engine', 'api-gateway', 'treatments', 'storm'].includes(name),
);
