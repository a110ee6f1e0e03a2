import { CPU_FLAGS, CPU_QUANTILES, cpuNsPerCall } from '../measure/cpu.ts';
import { BARE, type Part } from '../measure/part.ts';
import { callsInTurn, rowsOfClients } from '../ours/clients.ts';
import type { Kind } from '../rivals/rival.ts';
import { addedCpu } from './columns.ts';

export default {
  title: 'Ten clients with options of their own in one program',
  note:
    'The nanoseconds of CPU time that a library adds to a call that succeeds at once, made by ten clients in turn. Each ' +
    'process measures one subject.',
  columns: addedCpu,
  rounds: 15,
  reference: BARE,
  flags: CPU_FLAGS,
  quantiles: CPU_QUANTILES,
  rows: async () => rowsOfClients((kind) => kind),
  async measure({ group, name }) {
    return { own: await cpuNsPerCall(await callsInTurn(group as Kind, name, 10)) };
  },
} satisfies Part;
