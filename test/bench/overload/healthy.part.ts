import { HEALTHY, healthySums } from '../../overload/healthy.ts';
import type { Part } from '../measure/part.ts';

export default {
  title: 'Services that nothing ails',
  note: `Loads 0.5 and 0.8, 0 and 1 % errors, 2 and 20 workers, three distributions of times around 50 ms, two seeds: ${HEALTHY.length} runs of 50 s. \`adaptiveThrottle()\`, \`attemptTimeoutMs\` 1 s.`,
  columns: [
    { title: 'requests', value: ({ asked = 0 }) => asked, digits: 0 },
    { title: 'refused', value: ({ refused = 0 }) => refused, digits: 0 },
    { title: 'failed', value: ({ failed = 0 }) => failed, digits: 0 },
    {
      title: 'first attempts skipped, %',
      value: ({ skipped = 0, asked = 1 }) => (100 * skipped) / asked,
      digits: 2,
    },
  ],
  ranked: false,
  inVirtualTime: true,
  rounds: 1,
  async rows() {
    return ['1', '20', '200'].map((clients) => ({ group: 'clients', name: clients }));
  },
  async measure({ name }) {
    return { ...(await healthySums(HEALTHY, Number(name))) };
  },
} satisfies Part;
