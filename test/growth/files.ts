import { experimentIn } from '../../packages/simulator/src/cli/scenario-file.ts';
import { referenceMeans } from '../../packages/simulator/src/race/agreement.ts';
import { isModule } from '../../packages/undici/src/register-config.ts';
import type { Reading } from './reading.ts';

/** A scenario as a file contains it. */
const scenario = (more: object): string =>
  JSON.stringify({
    durationMs: 1_000,
    clients: { count: 1, requestsPerSecond: 1 },
    server: { workers: 1, serviceMs: 1 },
    ...more,
  });

/** A scenario that is made from a text; what is wrong with it is an error. */
const scenarioOf =
  (fileOf: (text: string) => string) =>
  (text: string): void => {
    try {
      experimentIn(fileOf(text));
    } catch {
      // It is no scenario, and the error says where.
    }
  };

const troubles = (text: string): readonly object[] =>
  Array.from({ length: text.length / 64 }, (_, at) => ({ type: 'outage', fromMs: at, untilMs: at + 1 }));

/** What reads files. */
export const fromFiles: readonly Reading[] = [
  ['a scenario that is no JSON', scenarioOf((text) => text), ['[', '{"a":', '"', ' ', '9', '-', '\\']],
  ['the title of a scenario', scenarioOf((text) => scenario({ title: text })), ['a', '"', '\n']],
  ['a wrong value of a scenario', scenarioOf((text) => scenario({ durationMs: text })), ['9', '"', 'a']],
  ['a field that no scenario has', scenarioOf((text) => scenario({ [text]: 1 })), ['a', '"', '.']],
  [
    'the policies of a scenario',
    scenarioOf((text) =>
      scenario({
        policies: Object.fromEntries(
          Array.from({ length: text.length / 32 }, (_, at) => [`${text.slice(0, 16)}${at}`, {}]),
        ),
      }),
    ),
    ['a', '"'],
  ],
  [
    'the troubles of a server of a scenario',
    scenarioOf((text) => scenario({ server: { workers: 1, serviceMs: 1, troubles: troubles(text) } })),
    ['a'],
  ],
  ['the figures of the article, in CSV', referenceMeans, ['1,None,1,2,3,4,5\n', '\n', ',', ' ', '9']],
  [
    'a config, to see what kind of module it is',
    isModule,
    ['\n', ' ', 'export {', 'export { a\n', 'export\n', 'export default'],
  ],
];
