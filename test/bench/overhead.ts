// What ebb and other libraries add to a request, part by part. Rows are measured in processes of their own that take turns.
// Run: pnpm bench overhead [fetch undici axios loopback failures waking] [--rounds 5] [--only ebb]
import { reportParts } from './measure/parts.ts';

await reportParts('overhead');
