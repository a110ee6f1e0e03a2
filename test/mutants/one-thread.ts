import type { UserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const HOST = 'test/mutants/host.ts';

class HostLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isHost = ({ moduleId }: TestSpecification): number => Number(moduleId.endsWith(HOST));
    return [...files].sort((one, other) => isHost(one) - isHost(other));
  }
}

/** One thread loads the packages once for all of these files, and then runs their tests for each mutant. */
export const oneThread = (tests: readonly string[]): NonNullable<UserConfig['test']> => ({
  include: [...tests, HOST],
  pool: 'threads',
  execArgv: [],
  maxWorkers: 1,
  isolate: false,
  sequence: { sequencer: HostLast },
  runner: 'test/mutants/vitest-runner.ts',
});
