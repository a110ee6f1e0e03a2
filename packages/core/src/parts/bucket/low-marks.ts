/** Marks that are closer than this share of the capacity become one, so that a limit has few. */
const APART = 1 / 32;

interface Mark {
  /** What had been taken then, with what was taken in that moment. */
  taken: number;
  /** How much was lacking of full before it. */
  low: number;
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
  mark(lacking: number, full: number, taken: number): void {
    const low = Math.max(0, lacking);
    const marks = this.#marks;
    this.taken += taken;
    let last = marks.at(-1);
    for (; last !== undefined && last.low > low; last = marks.at(-1)) marks.pop();
    if (last !== undefined && last.low + full * APART > low) last.taken = this.taken;
    else marks.push({ taken: this.taken, low });
  }

  /**
   * How much can be given back.
   *
   * @param taken what {@link taken} was with it
   * @param lacking what is lacking of full now
   */
  giveBack(surplus: number, taken: number, lacking: number): number {
    const since = this.#marks.filter((mark) => mark.taken > taken);
    const lowest = Math.min(lacking, since[0]?.low ?? lacking);
    const given = Math.max(0, Math.min(surplus, lowest));
    for (const mark of since) mark.low -= given;
    // Those before that are not lower any more are replaced.
    this.#marks = this.#marks.filter((mark) => mark.taken > taken || mark.low < lowest - given);
    return given;
  }
}
