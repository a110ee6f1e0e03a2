import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// Stryker runs the tests in worker threads, which cannot be started with --expose-gc.
setFlagsFromString('--expose-gc');
globalThis.gc = runInNewContext('gc');
