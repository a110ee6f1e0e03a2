/** Marks that differ by less than this share of what lacks become one, so that a limit has few: near a full limit each grant has its own. */
const APART = 1 / 32;

/** And by less than this share of the capacity. */
const SMALLEST = 1e-9;

interface Mark {
  /** How much was lacking of full, at least, in the moments that it stands for. */
  low: number;
  /** What had been taken before the last of them. */
  end: number;
}

/** Below all marks and before all grants. */
const NONE: Mark = { low: Number.NEGATIVE_INFINITY, end: 0 };

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
  #marks: Mark[] = [NONE];

  /**
   * Adds a mark: `taken` was taken, and the limit now lacks `low` of `full`. `taken` is 0 if the limit changes in another way.
   */
  mark(low: number, full: number, taken: number): void {
    const marks = this.#marks;
    // Not by `at`, which is not inlined.
    let last = marks[marks.length - 1] as Mark;
    for (; last.low > low; last = marks[marks.length - 1] as Mark) marks.pop();
    if (low >= last.low + Math.max(last.low * APART, full * SMALLEST)) {
      last = { low, end: 0 };
      marks.push(last);
    }
    last.end = this.taken;
    this.taken += taken;
  }

  /**
   * How much can be given back.
   *
   * @param taken what `taken` was with it
   * @param lacking what is lacking of full now
   */
  giveBack(surplus: number, taken: number, lacking: number): number {
    const isSince = (mark: Mark): boolean => mark.end >= taken;
    const since = this.#marks.filter(isSince);
    const lowest = since[0]?.low ?? Number.POSITIVE_INFINITY;
    const given = Math.max(0, Math.min(surplus, lacking, lowest));
    for (const mark of since) mark.low -= given;
    // Those before that are not lower any more are replaced.
    this.#marks = this.#marks.filter((mark) => isSince(mark) || mark.low < lowest - given);
    return given;
  }
}
