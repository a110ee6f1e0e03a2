// Another connection has locked the database. The whole transaction is retried, so that it reads what the other has changed.
// A statement that is retried inside it would write what follows from an old read. Prints:
//   attempt 1: database is locked
//   attempt 2: read 150, wrote 120
//   not retried: no such table: acount
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { detailsOf, type EbbEvent, equalJitter, retry } from '@ebb/core';

const file = join(mkdtempSync(join(tmpdir(), 'ebb-')), 'bank.db');
// SQLite's own wait for a lock would block the event loop: none.
const [db, other] = [new DatabaseSync(file, { timeout: 0 }), new DatabaseSync(file)];
db.exec('CREATE TABLE account (balance INT); INSERT INTO account VALUES (100)');

const SQLITE_BUSY = 5;
function onEvent(event: EbbEvent): void {
  const outcome = detailsOf(event)?.outcome;
  if (event.type !== 'retry' || outcome?.type !== 'failure') return;
  console.log(`attempt ${event.attempt}: ${(outcome.error as Error).message}`);
  other.exec('COMMIT');
}
const policy = { maxRetries: 8, backoff: equalJitter({ baseMs: 20, capMs: 1_000 }), onEvent };

/** `work` may run several times, so it changes nothing but the database. */
function transaction<T>(work: (attempt: number) => T): Promise<T> {
  return retry(
    ({ attempt }) => {
      db.exec('BEGIN IMMEDIATE'); // Takes the lock before the first read, or fails.
      try {
        const result = work(attempt);
        db.exec('COMMIT');
        return result;
      } finally {
        if (db.isTransaction) db.exec('ROLLBACK');
      }
    },
    policy,
    { judge: (end) => (end.type === 'error' && !isBusy(end.error) ? 'final' : undefined) },
  );
}
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}

other.exec('BEGIN IMMEDIATE; UPDATE account SET balance = 150');
const done = await transaction((attempt) => {
  const balance = Number(db.prepare('SELECT balance FROM account').get()?.balance);
  db.prepare('UPDATE account SET balance = ?').run(balance - 30);
  return `attempt ${attempt}: read ${balance}, wrote ${balance - 30}`;
});
console.log(done);
const wrong = await transaction(() => db.exec('DELETE FROM acount')).catch((error: Error) => error);
console.log(`not retried: ${wrong?.message}`);
for (const connection of [db, other]) connection.close();
rmSync(join(file, '..'), { recursive: true });
