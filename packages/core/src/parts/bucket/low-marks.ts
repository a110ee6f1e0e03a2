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
  /** How many marks were made: the number of the last. */
  count = 0;
  /** The number of the last mark that each kept one stands for. */
  readonly #numbers: number[] = [];
  readonly #lows: number[] = [];

  /** What is lacking of `full` now. */
  mark(lacking: number, full: number): void {
    this.count += 1;
    const low = Math.max(0, lacking);
    let last = this.#lows.length - 1;
    for (; last >= 0 && (this.#lows[last] as number) >= low; last -= 1) this.#drop(last);
    if (last >= 0 && (this.#lows[last] as number) + full * APART > low) this.#numbers[last] = this.count;
    else {
      this.#numbers.push(this.count);
      this.#lows.push(low);
    }
  }

  #drop(index: number): void {
    this.#numbers.splice(index, 1);
    this.#lows.splice(index, 1);
  }

  /** How much of `surplus` can be given back that was taken with mark `number`. To be called right after a mark for now. */
  giveBack(surplus: number, number: number): number {
    const lows = this.#lows;
    let first = lows.length - 1;
    while (first > 0 && (this.#numbers[first - 1] as number) > number) first -= 1;
    const given = Math.max(0, Math.min(surplus, lows[first] as number));
    for (let at = first; at < lows.length; at += 1) lows[at] = (lows[at] as number) - given;
    // One that is no longer above those before it replaces them.
    for (; first > 0 && (lows[first - 1] as number) >= (lows[first] as number); first -= 1)
      this.#drop(first - 1);
    return given;
  }
}
