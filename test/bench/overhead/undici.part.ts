import { inOneTurn, nsPerCall } from '../measure/batches.ts';
import type { Part } from '../measure/part.ts';
import { subjectOf, subjectsOf } from '../ours/subjects.ts';
import type { Dispatch } from '../rivals/rival.ts';
import { Downstream, REQUEST, responding } from '../stubs/undici.ts';
import { added } from './columns.ts';

function callOf(dispatch: Dispatch): () => boolean {
  return () => dispatch(REQUEST, new Downstream());
}

export default {
  title: 'undici: a request that succeeds at once',
  note: 'The nanoseconds that a library adds to a dispatch that responds in the same turn.',
  columns: added,
  rounds: 5,
  async rows() {
    return [...(await subjectsOf('undici')).keys()].map((name) => ({ group: '', name }));
  },
  async measure({ name }) {
    const { wrap } = await subjectOf('undici', name);
    const runs = [inOneTurn(callOf(responding)), inOneTurn(callOf(wrap(responding)))];
    const [bare = 0, own = 0] = await nsPerCall(runs);
    return { bare, own };
  },
} satisfies Part;
