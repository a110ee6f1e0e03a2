// Plays each row of the suite in a new process that has one client and nothing else:
//   pnpm check alone                                       all rows of all clients
//   pnpm check alone axios "503, then 200"                 one row of one client
//   pnpm check alone redirect                              the rows whose name contains the text
import { ADAPTERS, type Played, playAll, withProgram } from './play.ts';

/** Packages of rows and adapters that have no client of their own. */
const NO_CLIENTS: readonly string[] = ['core', 'providers', 'resume', 'testing'];

const args = process.argv.slice(2);
const clients = Object.keys(ADAPTERS).filter((name) => args.includes(name));
const [text = '', ...more] = args.filter((arg) => ADAPTERS[arg] === undefined);
if (more.length > 0) throw new TypeError(`one row at a time: "${text}" or "${more[0]}"`);

const startMs = performance.now();
const failed: Played[] = [];
let count = 0;
for (const client of clients.length > 0 ? clients : Object.keys(ADAPTERS)) {
  await withProgram(ADAPTERS[client] as string, async (program) => {
    const company = program.packages.filter((name) => !NO_CLIENTS.includes(name));
    if (company.length !== 1) throw new Error(`the program of ${client} contains ${company.join(', ')}`);
    const names = program.rows.filter(({ skipped }) => skipped === undefined).map(({ name }) => name);
    const rows = names.includes(text) ? [text] : names.filter((name) => name.includes(text));
    await playAll(client, program, rows, (played) => {
      count += 1;
      if (played.wrong.length === 0) return;
      failed.push(played);
      console.log(`${client} › ${played.row}\n  ${played.wrong.join('\n').replaceAll('\n', '\n  ')}\n`);
    });
    console.log(`${client}: ${rows.length} rows, ${program.rows.length - names.length} skipped`);
  });
}
const tookMs = performance.now() - startMs;
console.log(
  `${count} rows in ${(tookMs / 1_000).toFixed(1)} s, ${(tookMs / Math.max(1, count)).toFixed()} ms a row`,
);
for (const { client, row } of failed) console.log(`failed: ${client} › ${row}`);
if (count === 0) console.log(`no client has a row "${text}"`);
process.exitCode = count === 0 || failed.length > 0 ? 1 : 0;
