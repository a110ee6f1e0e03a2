import { type Played, playAll, withProgram } from './play.ts';

/** Packages of rows and adapters that have no client of their own. */
const NO_CLIENTS: readonly string[] = ['core', 'providers', 'resume', 'testing'];

/**
 * Plays the rows of these clients whose name is the text, or contains it, each row in a process of its own, and prints what is wrong.
 * Returns the exit code: 0 if rows were played and nothing was wrong.
 *
 * @param adapters the module that exports the adapter of each client
 * @param endMs how long a program may take to end after its row
 */
export async function judge(
  adapters: Readonly<Record<string, string>>,
  text: string,
  print: (line: string) => void,
  endMs?: number,
): Promise<0 | 1> {
  const startMs = performance.now();
  const failed: Played[] = [];
  let count = 0;
  for (const [client, adapter] of Object.entries(adapters)) {
    const use = async (program: Parameters<typeof playAll>[1]): Promise<void> => {
      const company = program.packages.filter((name) => !NO_CLIENTS.includes(name));
      if (company.length !== 1) throw new Error(`the program of ${client} contains ${company.join(', ')}`);
      const names = program.rows.filter(({ skipped }) => skipped === undefined).map(({ name }) => name);
      const rows = names.includes(text) ? [text] : names.filter((name) => name.includes(text));
      await playAll(client, program, rows, (played) => {
        count += 1;
        if (played.wrong.length === 0) return;
        failed.push(played);
        print(`${client} › ${played.row}\n  ${played.wrong.join('\n').replaceAll('\n', '\n  ')}\n`);
      });
      print(`${client}: ${rows.length} rows, ${program.rows.length - names.length} skipped`);
    };
    await withProgram(adapter, use, endMs);
  }
  const tookMs = performance.now() - startMs;
  print(
    `${count} rows in ${(tookMs / 1_000).toFixed(1)} s, ${(tookMs / Math.max(1, count)).toFixed()} ms a row`,
  );
  for (const { client, row } of failed) print(`failed: ${client} › ${row}`);
  if (count === 0) print(`no client has a row "${text}"`);
  return count === 0 || failed.length > 0 ? 1 : 0;
}
