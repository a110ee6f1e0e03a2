// Plays each row of the suite in a new process that has one client and nothing else:
//   pnpm check alone                                       all rows of all clients
//   pnpm check alone axios "503, then 200"                 one row of one client
//   pnpm check alone redirect                              the rows whose name contains the text
import { judge } from './judge.ts';
import { ADAPTERS } from './play.ts';

const args = process.argv.slice(2);
const clients = Object.entries(ADAPTERS).filter(([name]) => args.includes(name));
const [text = '', ...more] = args.filter((arg) => ADAPTERS[arg] === undefined);
if (more.length > 0) throw new TypeError(`one row at a time: "${text}" or "${more[0]}"`);
const chosen = clients.length > 0 ? Object.fromEntries(clients) : ADAPTERS;
process.exitCode = await judge(chosen, text, console.log);
