import { type Clock, createPolicy } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { type AdapterUnderTest, type Client, rowsFor, suite } from '@ebb/testing';
import { type FaultScenario, type FaultyFetch, faults } from '@ebb/testing/faults';

const clock: Clock = virtualClock();
const scenario: FaultScenario = {
  workers: 1,
  serviceMs: 20,
  troubles: [{ type: 'outage', fromMs: 0, untilMs: 1000 }],
  clock,
};
export const service: FaultyFetch = faults(scenario, 1);
export const policy = createPolicy({ clock });

export const adapter: AdapterUnderTest = {
  name: 'mine',
  client: (): Client => ({
    send: async (url) => ({ status: (await service(url)).status, body: '' }),
    history: () => undefined,
  }),
};
export const names: string[] = rowsFor(adapter).map(({ name }) => name);

// @ts-expect-error: no adapter
suite({ describe: () => undefined, test: () => undefined });
// @ts-expect-error: no workers
faults({ serviceMs: 20 });
