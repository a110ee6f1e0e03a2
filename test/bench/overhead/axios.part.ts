import { nsPerCall, oneByOne } from '../measure/batches.ts';
import type { Part } from '../measure/part.ts';
import { subjectOf, subjectsOf } from '../ours/subjects.ts';
import { stubbed } from '../stubs/axios.ts';
import { URL } from '../stubs/fetch.ts';
import { added } from './columns.ts';

export default {
  title: 'axios: a request that succeeds at once',
  note: 'The nanoseconds that a library adds to a call of an instance whose adapter does no I/O.',
  columns: added,
  rounds: 5,
  async rows() {
    return [...(await subjectsOf('axios')).keys()].map((name) => ({ group: '', name }));
  },
  async measure({ name }) {
    const { wrap } = await subjectOf('axios', name);
    const runs = [stubbed(), wrap(stubbed())].map((instance) => oneByOne(() => instance.get(URL)));
    const [bare = 0, own = 0] = await nsPerCall(runs);
    return { bare, own };
  },
} satisfies Part;
