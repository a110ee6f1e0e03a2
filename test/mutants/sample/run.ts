// What the runner says of each mutant of the sample, in this order, as JSON.
import { fileURLToPath } from 'node:url';
import { OneProcess } from '../one-process.ts';

const runner = new OneProcess();
await runner.init(fileURLToPath(new URL('vitest.config.ts', import.meta.url)));
const { tests = [] } = await runner.dryRun();
const names = new Map(tests.map(({ id, name }) => [id, name]));
const said: unknown[] = [[...names.values()]];
for (const id of ['minus', 'swapped', 'endless', 'left', 'swapped']) {
  const activeMutant = { id, fileName: 'test/mutants/sample/sum.ts' };
  const run = runner.mutantRun({ activeMutant, testFilter: [...names.keys()] });
  said.push(
    await run.then(
      ({ status, killedBy = [], failureMessage = '' }) => [
        status,
        ...killedBy.map((by) => names.get(by)),
        failureMessage,
      ],
      (error: Error) => [error.message],
    ),
  );
}
process.stdout.write(JSON.stringify(said), () => process.exit());
