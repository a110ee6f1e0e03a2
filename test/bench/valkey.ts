// The cost of a token from a shared bucket, and how much of a quota that binds is used. Starts its own store.
// Run: pnpm bench valkey [calls quota] [--rounds 5] [--only ebb]
import { program } from '../../packages/valkey/test/server.ts';
import { reportParts } from './measure/parts.ts';

if (program === undefined) process.exit(1);
await reportParts('valkey');
