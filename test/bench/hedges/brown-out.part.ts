import { brownOut } from '../../../packages/simulator/src/studies/hedges/brown-out.ts';
import { meanOf, RULES, type Rule } from '../../../packages/simulator/src/studies/hedges/rules.ts';
import type { Part } from '../measure/part.ts';

export default {
  title: 'A service over its capacity',
  note: 'The same service, as ten workers with one queue: 20 s at half of what they can do, then 10 s at a tenth more than that, of which the table tells. A worker does not notice that a try was aborted. The mean of six seeds.',
  columns: [
    { title: 'p99, ms', value: ({ p99 = 0 }) => p99 },
    { title: 'more sends, %', value: ({ extra = 0 }) => extra * 100, digits: 2 },
  ],
  ranked: false,
  inVirtualTime: true,
  rounds: 1,
  async rows() {
    return Object.keys(RULES).map((name) => ({ group: '', name }));
  },
  async measure({ name }) {
    return meanOf((seed) => brownOut((RULES[name] as () => Rule)(), seed));
  },
} satisfies Part;
