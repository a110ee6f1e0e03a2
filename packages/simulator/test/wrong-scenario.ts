import { expect } from 'vitest';
import { ScenarioError } from '../src/scenario/check.ts';
import { checkExperiment } from '../src/studies/experiment.ts';

/** A copy of a value in which one field is changed: `changed(valid, 'server.workers', 0)`. */
function changed(valid: object, path: string, value: unknown): unknown {
  const copy = structuredClone(valid) as Record<string, unknown>;
  const names = path.split('.');
  const inner = names.slice(0, -1).reduce((held, name) => held[name] as Record<string, unknown>, copy);
  inner[names.at(-1) ?? ''] = value;
  return copy;
}

/** A path, a value that is wrong there, and what the error says after the path, or a pattern of all that it says. */
export type Wrong = readonly [path: string, value: unknown, says: string | RegExp];

/** Expects that an experiment is rejected once a field is changed. */
export function expectWrong(valid: object, [path, value, says]: Wrong): void {
  const check = (): void => checkExperiment(changed(valid, path, value));
  expect(check).toThrow(ScenarioError);
  const message = `${path.replaceAll(/\.(\d+)/g, '[$1]')}${says}`;
  expect(check).toThrow(typeof says === 'string' ? expect.objectContaining({ message }) : says);
}
