// The time to take a token from ebb's bucket and from other libraries' limiters, when no caller has to wait.
// Run: pnpm bench buckets [tokens] [--rounds 5] [--only ebb]
import { reportParts } from './measure/parts.ts';

await reportParts('buckets');
