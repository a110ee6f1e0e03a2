/** Marks that are closer than this share of the capacity become one, so that a limit has few. */
const APART = 1 / 32;

interface Mark {
  /** How much was lacking of full, at least, in the moments that it stands for. */
  low: number;
  /** What had been taken in the last of them. Of the last mark it is what has been taken. */
  end: number;
}

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
  #marks: Mark[] = [];

  /** Of a limit that lacks so much of `full`, something is taken. */
  mark(low: number, full: number, taken: number): void {
    const marks = this.#marks;
    const before = this.taken;
    this.taken = before + taken;
    // Not by `at`, which is not inlined.
    let last = marks[marks.length - 1];
    if (last !== undefined && last.low <= low && low < last.low + full * APART) return;
    if (last !== undefined) last.end = before;
    for (; last !== undefined && last.low > low; last = marks[marks.length - 1]) marks.pop();
    if (last === undefined || low >= last.low + full * APART) marks.push({ low, end: 0 });
  }

  /**
   * How much can be given back.
   *
   * @param taken what {@link taken} was with it
   * @param lacking what is lacking of full now
   */
  giveBack(surplus: number, taken: number, lacking: number): number {
    const marks = this.#marks;
    const last = marks[marks.length - 1];
    if (last !== undefined) last.end = this.taken;
    const since = marks.filter((mark) => mark.end > taken);
    const [first = { low: Number.POSITIVE_INFINITY }] = since;
    const given = Math.max(0, Math.min(surplus, lacking, first.low));
    for (const mark of since) mark.low -= given;
    // Those before that are not lower any more are replaced.
    this.#marks = marks.filter((mark) => mark.end > taken || mark.low < first.low);
    return given;
  }
}
