import type { RuntimeName } from './names.ts';
import type { Jobs } from './runner.ts';

/** A runtime that is under way. */
export interface Runtime extends AsyncDisposable {
  perform<Name extends keyof Jobs>(job: Name, input: Jobs[Name][0]): Promise<Jobs[Name][1]>;
}

/** A runtime that can be started, unless there is a reason why not. */
export interface Startable {
  readonly name: RuntimeName;
  /** Why it is not there, and how to get it. */
  readonly missing: string | undefined;
  start(): Promise<Runtime>;
}
