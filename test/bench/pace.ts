// 500 calls a second for five seconds of real time, with an endless backlog: how much of its quota each library uses, and
// whether it keeps what it promises. Run: pnpm bench pace [promises] [--rounds 1] [--only ebb]
import { reportParts } from './measure/parts.ts';

await reportParts('pace');
