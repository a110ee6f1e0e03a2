import { bytesPerCall, LARGE_NURSERY } from '../measure/allocation.ts';
import { inOneTurn, oneByOne, type Run } from '../measure/batches.ts';
import type { Part } from '../measure/part.ts';
import { subjectOf, subjectsOf } from '../ours/subjects.ts';
import type { Kind, Rival } from '../rivals/rival.ts';
import { stubbed } from '../stubs/axios.ts';
import { reading, URL, withHeaders } from '../stubs/fetch.ts';
import { Downstream, REQUEST, responding } from '../stubs/undici.ts';

const runs: { readonly [K in Kind]: (wrap: Rival<K>['wrap']) => Run } = {
  fetch: (wrap) => oneByOne(reading(wrap(withHeaders))),
  undici(wrap) {
    const dispatch = wrap(responding);
    return inOneTurn(() => dispatch(REQUEST, new Downstream()));
  },
  axios(wrap) {
    const client = wrap(stubbed());
    return oneByOne(() => client.get(URL));
  },
};

async function measure<K extends Kind>(kind: K, name: string): Promise<readonly number[]> {
  const { wrap } = await subjectOf(kind, name);
  return bytesPerCall([runs[kind]((client) => client), runs[kind](wrap)]);
}

export default {
  title: 'The memory of a request that succeeds at once',
  note: 'The bytes that a library adds to what the client allocates over a stub; the body of a `Response` is read.',
  columns: [
    { title: 'added, bytes', value: ({ own = 0, bare = 0 }) => own - bare, spread: true },
    { title: 'bare, bytes', value: ({ bare = 0 }) => bare },
  ],
  flags: LARGE_NURSERY,
  async rows() {
    const kinds = (['fetch', 'undici', 'axios'] as const).map(async (group) => {
      return [...(await subjectsOf(group)).keys()].map((name) => ({ group, name }));
    });
    return (await Promise.all(kinds)).flat();
  },
  async measure({ group, name }) {
    const [bare = 0, own = 0] = await measure(group as Kind, name);
    return { bare, own };
  },
} satisfies Part;
