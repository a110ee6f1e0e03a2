import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Runs a program that schedules a call in an hour. Resolves with its output when it has ended. */
async function run(inBackground: boolean): Promise<string> {
  const clock = new URL('./clock.ts', import.meta.url).href;
  const program = `
    const { systemClock } = await import(${JSON.stringify(clock)});
    const callOff = systemClock.schedule(() => undefined, 3_600_000, ${inBackground});
    process.once('beforeExit', () => console.log('ended by itself'));
    if (!${inBackground}) setImmediate(() => { console.log(process.getActiveResourcesInfo().includes('Timeout')); callOff(); });`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=@ebb/source',
    '--input-type=module',
    '--eval',
    program,
  ]);
  return stdout;
}

test('a call in the background does not keep the process alive', async () => {
  expect(await run(true)).toBe('ended by itself\n');
});

test('any other pending call does, until it is cancelled', async () => {
  expect(await run(false)).toBe('true\nended by itself\n');
});
