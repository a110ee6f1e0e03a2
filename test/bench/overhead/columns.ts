import type { Column } from '../measure/part.ts';

/** For samples of nanoseconds with and without the subject. */
export const added: readonly Column[] = [
  { title: 'added, ns', value: ({ own = 0, bare = 0 }) => own - bare, spread: true },
  { title: 'bare, ns', value: ({ bare = 0 }) => bare },
  { title: '× bare', value: ({ own = 0, bare = 1 }) => own / bare, digits: 2 },
];
