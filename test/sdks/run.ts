// Compares SDKs with their own retries, and with those of ebb. Prints the results as JSON, or with --update writes the tables
// of docs/sdks.md. The globals for time are virtual in this process, sockets are real. No row may be earlier than asked, or worse than
// the SDK alone, unless the row says why. To add an SDK, write a file in clients/ and add it to sdks.ts.
import './virtual-time.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Compared, compareAll } from './compare.ts';
import { type Endings, endingsOf } from './endings.ts';
import { PAGE, withTables } from './page.ts';
import { SDKS } from './sdks.ts';
import { startUpstream } from './upstream.ts';

/** A row as the test sees it. */
export interface Result extends Compared {
  readonly sdk: string;
}

const upstream = await startUpstream();
const tables = new Map<string, readonly Compared[]>();
const endings = new Map<string, Endings>();
for (const sdk of SDKS) {
  tables.set(sdk.name, await compareAll(upstream, sdk));
  endings.set(sdk.name, await endingsOf(upstream, sdk));
}
upstream.close();

const path = join(import.meta.dirname, '../..', PAGE);
const page = readFileSync(path, 'utf8');
const updated = withTables(page, SDKS, tables, endings);
if (process.argv.includes('--update')) writeFileSync(path, updated);
else {
  const results = SDKS.flatMap((sdk) =>
    (tables.get(sdk.name) ?? []).map((compared): Result => {
      return { ...compared, sdk: sdk.name };
    }),
  );
  console.log(JSON.stringify({ results, endings: Object.fromEntries(endings), isCurrent: updated === page }));
}
// The SDKs leave timers and sockets behind.
process.exit();
