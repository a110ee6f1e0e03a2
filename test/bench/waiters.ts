// Many requests wait for one bucket: the memory of each, and the time to grant or to cancel them all.
// Run: pnpm bench waiters [memory cancel drain] [--rounds 3]
import { reportParts } from './measure/parts.ts';

await reportParts('waiters');
