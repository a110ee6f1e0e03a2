// What hedged requests do to the tail of a service, and to one that is over its capacity; in virtual time.
// Run: pnpm bench hedges [tail brown-out]
import { reportParts } from './measure/parts.ts';

await reportParts('hedges');
