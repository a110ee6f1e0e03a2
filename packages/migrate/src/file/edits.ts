/** Text that takes the place of a range; of an empty range for an insertion. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Edits by their places, which do not overlap. An insertion at a place comes before a replacement of its text. */
export class Edits {
  #all: Edit[] = [];

  /** The first edit that comes after a place, or begins there. */
  #from(start: number): number {
    let [low, high] = [0, this.#all.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#all[middle]?.start ?? 0) < start) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Takes the place of the edits inside. An edit around the range stays alone: it has taken the text as it was. */
  replace(start: number, end: number, text: string): void {
    let from = this.#from(start);
    // Before it only one can reach into it.
    let before = from - 1;
    while (before >= 0 && this.#all[before]?.start === this.#all[before]?.end) before -= 1;
    if ((this.#all[before]?.end ?? 0) >= end) return;
    while (this.#all[from]?.start === start && this.#all[from]?.end === start) from += 1;
    const first = this.#all[from];
    if (first?.start === start && first.end >= end) return;
    let to = from;
    while (to < this.#all.length && (this.#all[to] as Edit).start < end) to += 1;
    this.#all.splice(from, to - from, { start, end, text });
  }

  /** The same text is inserted once at a place. */
  insert(at: number, text: string): void {
    let place = this.#from(at);
    for (; this.#all[place]?.start === at && this.#all[place]?.end === at; place += 1)
      if (this.#all[place]?.text === text) return;
    this.#all.splice(place, 0, { start: at, end: at, text });
  }

  /** A part of a text, with the edits inside it. */
  applied(text: string, start = 0, end: number = text.length): string {
    const parts: string[] = [];
    let at = start;
    for (let place = this.#from(start); place < this.#all.length; place += 1) {
      const edit = this.#all[place] as Edit;
      if (edit.start > end) break;
      if (edit.end > end) continue;
      parts.push(text.slice(at, edit.start), edit.text);
      at = edit.end;
    }
    return parts.join('') + text.slice(at, end);
  }

  copy(): Edits {
    const copy = new Edits();
    copy.#all = [...this.#all];
    return copy;
  }
}
