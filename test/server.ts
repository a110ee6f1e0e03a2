// The server of the suite of @ebb/core, by its path: some programs that use it are run without a bundler or a build.
export {
  type ScriptedServer as Upstream,
  scriptedServer as upstream,
} from '../packages/testing/src/suite/server.ts';
export type { ReceivedRequest, Step } from '../packages/testing/src/suite/step.ts';
