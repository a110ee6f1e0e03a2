/** Marks that are closer than this share of the capacity become one, so that a limit has few. */
const APART = 1 / 32;

/**
 * How much of what was taken from a limit can be given back: exactly as if it had never been taken, as far as the limit had
 * room for it ever since. What comes in while a limit is full is lost.
 *
 * Each time when something is taken the limit lacks something of being full: that is a mark. A grant can give back the lowest
 * mark since then at most, and all marks since then sink by what it gives back. A mark below all before it replaces them,
 * so those that are kept rise from the first to the last.
 */
export class LowMarks {
  /** The sum of all that was taken: what a grant remembers to know the marks that came after it. */
  taken = 0;
  /** What was taken when each was made. */
  readonly #at: number[] = [];
  readonly #lows: number[] = [];

  /** Of a limit that lacks so much of `full`, something is taken. */
  mark(lacking: number, full: number, taken: number): void {
    const lows = this.#lows;
    const low = Math.max(0, lacking);
    this.taken += taken;
    let last = lows.length - 1;
    for (; last >= 0 && (lows[last] as number) >= low; last -= 1) lows.pop();
    if (last < 0 || (lows[last] as number) + full * APART <= low) last = lows.push(low) - 1;
    this.#at[last] = this.taken;
    this.#at.length = lows.length;
  }

  /**
   * How much can be given back.
   *
   * @param at what {@link taken} was with it
   * @param lacking what is lacking of full now
   */
  giveBack(surplus: number, at: number, lacking: number): number {
    const lows = this.#lows;
    let first = lows.length;
    while (first > 0 && (this.#at[first - 1] as number) > at) first -= 1;
    const given = Math.max(0, Math.min(surplus, lacking, lows[first] ?? surplus));
    for (let mark = first; mark < lows.length; mark += 1) lows[mark] = (lows[mark] as number) - given;
    // Those before that are not lower any more are replaced by it.
    let before = first;
    while (before > 0 && (lows[before - 1] as number) >= (lows[first] ?? Number.POSITIVE_INFINITY))
      before -= 1;
    lows.splice(before, first - before);
    this.#at.splice(before, first - before);
    return given;
  }
}
