import { nsPerCall, oneByOne } from '../measure/batches.ts';
import type { Part, Row } from '../measure/part.ts';
import { subjectOf, subjectsOf } from '../ours/subjects.ts';
import type { Fetch, Rival } from '../rivals/rival.ts';
import { reading, URL, withHeaders, withoutHeaders } from '../stubs/fetch.ts';
import { added } from './columns.ts';

const STUB = 'A stub without headers';
const RESPONSE = 'A Response';
const READ = 'A Response, its body read';

const calls: Readonly<Record<string, (wrap: (bare: Fetch) => Fetch) => () => Promise<unknown>>> = {
  [STUB]: (wrap) => callOf(wrap(withoutHeaders)),
  [RESPONSE]: (wrap) => callOf(wrap(withHeaders)),
  [READ]: (wrap) => reading(wrap(withHeaders)),
};

function callOf(send: Fetch): () => Promise<unknown> {
  return () => send(URL);
}

function canBeMeasured(group: string, { needs }: Rival<'fetch'>): boolean {
  return group === READ || (group === RESPONSE && needs !== 'reader') || needs === undefined;
}

export default {
  title: 'fetch: a request that succeeds at once',
  note: 'The nanoseconds that a library adds to a call of a fetch that does no I/O.',
  columns: added,
  rounds: 5,
  async rows() {
    const subjects = [...(await subjectsOf('fetch'))];
    return Object.keys(calls).flatMap((group): Row[] => {
      const measured = subjects.filter(([, subject]) => canBeMeasured(group, subject));
      return measured.map(([name]) => ({ group, name }));
    });
  },
  async measure({ group, name }) {
    const { wrap } = await subjectOf('fetch', name);
    const over = calls[group];
    if (over === undefined) throw new Error(`There is no ${group}`);
    const [bare = 0, own = 0] = await nsPerCall([oneByOne(over((send) => send)), oneByOne(over(wrap))]);
    return { bare, own };
  },
} satisfies Part;
