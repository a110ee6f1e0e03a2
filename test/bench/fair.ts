// What fairQueue shares out among keys, how long a quiet key waits, and what that costs, beside first come, first served.
// Run: pnpm bench fair [waits shares time keys] [--rounds 3]
import { reportParts } from './measure/parts.ts';

await reportParts('fair');
