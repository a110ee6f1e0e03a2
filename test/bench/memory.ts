// The bytes that ebb and other libraries allocate for a request that succeeds, and those that a bucket of one of many keys holds.
// Run: pnpm bench memory [requests] [keys] [--rounds 3] [--only ebb]
import { reportParts } from './measure/parts.ts';

await reportParts('memory');
