/** A member of a list, with its neighbours. Set by the list. */
export interface Linked<W> {
  /** The one behind it. */
  next: W | undefined;
  /** The one before it. */
  previous: W | undefined;
}

/** A doubly linked list: any member can leave in constant time. */
export interface List<W> {
  first: W | undefined;
  last: W | undefined;
}

/** Puts one behind `previous`, or in front of all. */
export function link<W extends Linked<W>>(list: List<W>, one: W, previous: W | undefined): void {
  const next = previous === undefined ? list.first : previous.next;
  one.next = next;
  one.previous = previous;
  if (previous === undefined) list.first = one;
  else previous.next = one;
  if (next === undefined) list.last = one;
  else next.previous = one;
}

/** Takes one out. */
export function unlink<W extends Linked<W>>(list: List<W>, one: W): void {
  const { next, previous } = one;
  if (previous === undefined) list.first = next;
  else previous.next = next;
  if (next === undefined) list.last = previous;
  else next.previous = previous;
  one.next = undefined;
  one.previous = undefined;
}

/** The members in turn. The one that was returned last may leave meanwhile. */
export function* membersOf<W extends Linked<W>>({ first }: List<W>): Generator<W, void> {
  for (let one = first; one !== undefined; ) {
    const { next }: W = one;
    yield one;
    one = next;
  }
}
