// Real clients, each a `createFetch`, against a service in trouble, in virtual time: what is answered with and without a throttle, and
// what each of its constants is there for. The same on every machine. Run: pnpm bench overload [schemes worlds] [--only throttle]
import { reportParts } from './measure/parts.ts';

await reportParts('overload');
