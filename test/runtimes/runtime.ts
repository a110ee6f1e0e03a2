import type { RuntimeName } from './names.ts';
import type { Jobs } from './runner.ts';

/** A running runtime. */
export interface Runtime extends AsyncDisposable {
  perform<Name extends keyof Jobs>(job: Name, input: Jobs[Name][0]): Promise<Jobs[Name][1]>;
}

/** A runtime that can be started if it is installed. */
export interface Startable {
  readonly name: RuntimeName;
  /** Why it cannot be started, and how to install it. */
  readonly missing: string | undefined;
  /** @param client a module that exports `subject`, as source text */
  start(client: string): Promise<Runtime>;
}
