import { expect, test } from 'vitest';
import { expectRecorded } from '../../test/recorded-figures.ts';
import { GOLDEN_STUDIES } from '../cli/golden.ts';

/** These draw their figures in a moment; `golden.test.ts` draws the others as well. */
const QUICK =
  /^(app-engine|api-gateway|treatments|retry-after|timeouts|slots|tenants|processes|priorities|grid)$/;

test.each(GOLDEN_STUDIES.filter(({ name }) => QUICK.test(name)).map((study) => [study.name, study] as const))(
  '%s draws its figures as they are in the repository, byte for byte',
  (_, study) => {
    expect(expectRecorded(study)).not.toEqual([]);
  },
);
