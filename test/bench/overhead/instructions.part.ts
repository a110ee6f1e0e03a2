import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { countInstructions, env, REPEATABLE, WARM_SOONER } from '../../guard/valgrind.ts';
import { BARE, type Part } from '../measure/part.ts';
import { groupOf, rowsOfClients } from '../ours/clients.ts';
import { COMPANIES } from '../ours/company.ts';

const PROGRAM = join(import.meta.dirname, '../measure/marked.ts');

/** Under valgrind Node takes longer to strip the types of all files than to run them. */
const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/ebb-bench');

export default {
  title: 'Instructions of a request that succeeds at once',
  note:
    'The machine instructions of compiled code that a library adds to a call, counted by valgrind. They do not depend on what ' +
    'else the machine does. Of the five, three have limits, one a throttle, one `inspect`; there fetch returns a `Response`, whose body ' +
    'is read. Other seeds in each round move what the compiler inlines: A/A shows by how much.',
  columns: [
    { title: 'added', value: ({ own = 0 }, { own: bare = 0 }) => own - bare, spread: true },
    { title: 'own', value: ({ own = 0 }) => own },
  ],
  rounds: 2,
  reference: BARE,
  rows: async () => rowsOfClients(COMPANIES),
  async measure({ group, name }) {
    const [kind, company] = groupOf(group);
    const seed = Math.ceil(Math.random() * 1e6);
    const args = [
      ...REPEATABLE.filter((flag) => !flag.includes('seed')),
      ...WARM_SOONER,
      ...[`--random-seed=${seed}`, `--hash-seed=${seed}`],
      ...['--min-semi-space-size=64', '--max-semi-space-size=64', '--conditions=@ebb/source'],
      ...[PROGRAM, kind, name, company],
    ];
    const options = { env: { ...env, NODE_COMPILE_CACHE: CACHE } };
    spawnSync(process.execPath, args, options);
    const { printed, instructions } = await countInstructions(args, options);
    // The first count is that of the start and the warm-up, the last that of the end.
    return { own: Math.min(...instructions.slice(1, -1)) / Number(printed) };
  },
} satisfies Part;
