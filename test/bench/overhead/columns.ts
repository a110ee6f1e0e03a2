import type { Column } from '../measure/part.ts';

/** For samples of nanoseconds with and without the subject. */
export const added: readonly Column[] = [
  { title: 'added, ns', value: ({ own = 0, bare = 0 }) => own - bare, spread: true },
  { title: 'bare, ns', value: ({ bare = 0 }) => bare },
  { title: '× bare', value: ({ own = 0, bare = 1 }) => own / bare, digits: 2 },
];

/** For nanoseconds of CPU time of processes with one subject each. */
export const addedCpu: readonly Column[] = [
  { title: 'added, ns of CPU', value: ({ own = 0 }, { own: bare = 0 }) => own - bare, spread: true },
  { title: 'own, ns of CPU', value: ({ own = 0 }) => own },
  { title: '× bare', value: ({ own = 0 }, { own: bare = 1 }) => own / bare, digits: 2 },
];
