import { CPU_FLAGS, CPU_QUANTILES, cpuNsPerCall } from '../measure/cpu.ts';
import { BARE, type Part } from '../measure/part.ts';
import { callsInTurn, groupOf, rowsOfClients } from '../ours/clients.ts';
import { addedCpu } from './columns.ts';

export default {
  title: 'Ten clients with options of their own in one program',
  note:
    'The nanoseconds of CPU time that a library adds to a call that succeeds at once, made by ten clients in turn. Of the five, ' +
    'three have limits, one a throttle, one `inspect`; there fetch returns a `Response`, whose body is read. Each process measures one subject.',
  columns: addedCpu,
  rounds: 15,
  reference: BARE,
  flags: CPU_FLAGS,
  quantiles: CPU_QUANTILES,
  rows: async () => rowsOfClients(['ten clients', 'ten clients, five of them with limits']),
  async measure({ group, name }) {
    const [kind, company] = groupOf(group);
    return { own: await cpuNsPerCall(await callsInTurn(kind, name, company)) };
  },
} satisfies Part;
