import { describe, expect, test } from 'vitest';
import { baseline, isOtherNode, KINDS } from './baseline.ts';
import { compare, unmatched } from './compare.ts';
import { QUICK } from './quick.ts';

// What a plain client weighs, imports and walks does not grow. A lower figure is recorded at once, so that nothing grows back.
describe.skipIf(isOtherNode).each(Object.entries(QUICK))('%s', (name, { names, measure }) => {
  const group = name as keyof typeof QUICK;

  test('each subject is recorded', () => {
    expect(unmatched(baseline[group], names)).toEqual([]);
  });

  test('no figure has grown', async () => {
    const changes = compare(KINDS[group], baseline[group], await measure());
    const advice = `
A rise needs a commit of its own that names the promise it buys. To record the figures of today, lower ones as well:
  npx -y pnpm@12 cost ${group} --update`;
    expect(changes, `${changes.join('\n')}\n${advice}`).toEqual([]);
  });
});
