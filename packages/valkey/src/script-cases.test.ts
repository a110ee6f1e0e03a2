import { describe, expect, test } from 'vitest';
import { SCRIPT_CASES, SLOW } from '../test/script-cases.ts';
import { ModelHost, play, ServerHost, type Step } from '../test/script-player.ts';
import { hasServer } from '../test/server.ts';
import { useStore } from '../test/store.ts';

const wanted = (steps: readonly Step[]): object[] =>
  steps.flatMap((step) => (typeof step === 'string' ? [] : [step.told ?? {}]));

test.each(SCRIPT_CASES)('the model: $says', async ({ limits = () => SLOW, steps }) => {
  const { told } = await play(new ModelHost(), limits, steps);
  expect(told).toEqual(wanted(steps));
});

describe.runIf(hasServer)('in a server', () => {
  const store = useStore();

  test.each(SCRIPT_CASES)('$says', async ({ limits = () => SLOW, steps }) => {
    const { told, state } = await play(new ServerHost(store), limits, steps);
    expect(told).toEqual(wanted(steps));
    const modelled = await play(new ModelHost(), limits, steps);
    expect(state).toEqual(modelled.state);
  });
});
