// What only Node, Bun, Deno and workers have, or need. web.ts has the same names. Selected by the conditions of "imports" in
// package.json. Below everything that imports it: it imports only what imports nothing else.
export { isSubscribed, publish } from './node-channels.ts';
export { onAbort, sleepersOn } from './node-crowds.ts';
export { CODES, isUnsent, kindOfMessage } from './node-failures.ts';
export { keptByCopies, makeStamp } from './node-stamp.ts';
export { immediatesNow, inNextTurn, inRealTime, keepAlive, letExit } from './node-timers.ts';
export { emit } from './node-warnings.ts';
