/** Marks that differ by less than this share of what lacks become one, so that a limit has few: near a full limit each grant has its own. */
const APART = 1 / 32;

/** And by less than this share of the capacity. */
const SMALLEST = 1e-9;

/** No marks. */
const NONE: number[] = [];

/**
 * How much of what was taken from a limit can be given back: exactly as if it had never been taken, as far as the limit had
 * room for it ever since. What comes in while a limit is full is lost.
 *
 * Each time when something is taken the limit lacks something of being full: that is a mark. A grant can give back the lowest
 * mark since then at most, and all marks since then sink by what it gives back. A mark below all before it replaces them,
 * so those that are kept rise from the first to the last.
 *
 * The tokens of a limit extend it: as an object apart it would take memory in each of many limits.
 */
export class RefundMarks {
  /** The sum of all that was taken: what a grant remembers to know the marks that came after it. */
  protected taken = 0;
  /**
   * Two numbers for each mark: how much was lacking of full, at least, in the moments that it stands for; and what had been taken
   * before the last of them. Never shortened.
   */
  #marks = NONE;
  /** How many of the numbers are in use. */
  #end = 0;

  /**
   * Adds a mark: `taken` was taken, and the limit now lacks `low` of `full`. `taken` is 0 if the limit changes in another way.
   */
  protected mark(low: number, full: number, taken: number): void {
    let marks = this.#marks;
    let end = this.#end;
    while (end > 0 && (marks[end - 2] as number) > low) end -= 2;
    const last = end === 0 ? Number.NEGATIVE_INFINITY : (marks[end - 2] as number);
    if (low >= last + Math.max(last * APART, full * SMALLEST)) {
      if (end === marks.length) {
        // Twice as long, and no longer: `push` makes room for 17 numbers more. Fractions, so that V8 makes it a list of doubles.
        marks = end === 0 ? [0.5, 0.5] : marks.concat(marks);
        this.#marks = marks;
      }
      marks[end] = low;
      end += 2;
    }
    marks[end - 1] = this.taken;
    this.#end = end;
    this.taken += taken;
  }

  /**
   * How much can be given back.
   *
   * @param taken what `taken` was with it
   * @param lacking what is lacking of full now
   */
  protected refund(surplus: number, taken: number, lacking: number): number {
    const marks = this.#marks;
    const end = this.#end;
    let first = end;
    while (first > 0 && (marks[first - 1] as number) >= taken) first -= 2;
    const lowest = first < end ? (marks[first] as number) : Infinity;
    const given = Math.max(0, Math.min(surplus, lacking, lowest));
    // Those before that are not lower any more are replaced.
    let to = first;
    while (to > 0 && (marks[to - 2] as number) >= lowest - given) to -= 2;
    for (let at = first; at < end; at += 2, to += 2) {
      marks[to] = (marks[at] as number) - given;
      marks[to + 1] = marks[at + 1] as number;
    }
    this.#end = to;
    return given;
  }
}
