// What a bucket of several units costs beside one of one unit, and how much of a model's quota is used, beside other libraries.
// Run: pnpm bench quota [time use] [--rounds 5]
import { reportParts } from './measure/parts.ts';

await reportParts('quota');
