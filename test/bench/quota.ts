// What a bucket of several units costs beside one of one unit.
// Run: pnpm bench quota [time] [--rounds 5]
import { reportParts } from './measure/parts.ts';

await reportParts('quota');
