import { meanOf, RULES, type Rule } from '../../../packages/simulator/src/studies/hedges/rules.ts';
import { TAILS, tail } from '../../../packages/simulator/src/studies/hedges/tail.ts';
import type { Part } from '../measure/part.ts';

export default {
  title: 'The tail of a service',
  note: 'Each try takes 5 ± 2 ms (log-normal), and some take ten times as long, or 5 s. 50,000 requests, 20 at a time, as in the benchmark of bhope/hedge, in which 5 % are slow; the mean of six seeds. Quantile: one that is fixed, with the allowance of ebb.',
  columns: [
    { title: 'p50, ms', value: ({ p50 = 0 }) => p50, digits: 1 },
    { title: 'p99, ms', value: ({ p99 = 0 }) => p99, digits: 1 },
    { title: 'p99.9, ms', value: ({ p999 = 0 }) => p999, digits: 1 },
    { title: 'more sends, %', value: ({ extra = 0 }) => extra * 100, digits: 2 },
  ],
  ranked: false,
  inVirtualTime: true,
  rounds: 1,
  async rows() {
    return Object.keys(TAILS).flatMap((group) => Object.keys(RULES).map((name) => ({ group, name })));
  },
  async measure({ group, name }) {
    return meanOf((seed) => tail((RULES[name] as () => Rule)(), seed, TAILS[group]));
  },
} satisfies Part;
