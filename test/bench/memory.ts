// The bytes that ebb and other libraries allocate for a request that succeeds.
// Run: pnpm bench memory [requests] [--rounds 3] [--only ebb]
import { reportParts } from './measure/parts.ts';

await reportParts('memory');
