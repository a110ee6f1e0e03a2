import { oneByOne } from '../measure/batches.ts';
import { CPU_FLAGS, CPU_QUANTILES, cpuNsPerCall } from '../measure/cpu.ts';
import { BARE, type Part } from '../measure/part.ts';
import { subjectOf, subjectsOf } from '../ours/subjects.ts';
import { stubbed } from '../stubs/axios.ts';
import { URL } from '../stubs/fetch.ts';
import { addedCpu } from './columns.ts';

// A call of axios alone takes some 20 µs, a hundred times what is to be told apart. In one process, bare and wrapped calls
// change each other by more than that, and so does another program on the machine: hence CPU time of many processes.
export default {
  title: 'axios: a request that succeeds at once',
  note:
    'The nanoseconds of CPU time that a library adds to a call of an instance whose adapter does no I/O. Each process ' +
    'measures one subject.',
  columns: addedCpu,
  rounds: 30,
  reference: BARE,
  flags: CPU_FLAGS,
  quantiles: CPU_QUANTILES,
  async rows() {
    return [BARE, ...(await subjectsOf('axios')).keys()].map((name) => ({ group: '', name }));
  },
  async measure({ name }) {
    const instance = name === BARE ? stubbed() : (await subjectOf('axios', name)).wrap(stubbed());
    return { own: await cpuNsPerCall(oneByOne(() => instance.get(URL))) };
  },
} satisfies Part;
