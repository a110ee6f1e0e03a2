/**
 * Where labels stand that would like to stand at some heights, each as near to it as can be without one lying
 * on another. They keep their order.
 */
export function spread(wished: readonly number[], gap: number, top: number, bottom: number): number[] {
  const order = wished
    .map((_, at) => at)
    .sort((a, b) => (wished[a] as number) - (wished[b] as number) || a - b);
  const places = order.map((at) => Math.min(Math.max(wished[at] as number, top), bottom));
  // Groups that touch are moved as one, to where they are least wrong on average.
  let groups = places.map((place) => ({ centre: place, members: 1 }));
  for (let merged = true; merged; ) {
    merged = false;
    const next: typeof groups = [];
    for (const group of groups) {
      const last = next.at(-1);
      const needed = last && ((last.members + group.members) / 2) * gap;
      if (last === undefined || needed === undefined || group.centre - last.centre >= needed - 1e-9) {
        next.push({ ...group });
        continue;
      }
      const members = last.members + group.members;
      const half = ((members - 1) / 2) * gap;
      const centre = (last.centre * last.members + group.centre * group.members) / members;
      last.centre = Math.min(Math.max(centre, top + half), bottom - half);
      last.members = members;
      merged = true;
    }
    groups = next;
  }
  const spreadOut = groups.flatMap(({ centre, members }) =>
    Array.from({ length: members }, (_, at) => centre + (at - (members - 1) / 2) * gap),
  );
  const result = new Array<number>(wished.length);
  for (const [rank, at] of order.entries()) result[at] = spreadOut[rank] as number;
  return result;
}

/** About how wide a text is, in the figures' font. */
export function widthOf(text: string, size: number): number {
  let widths = 0;
  for (const sign of text)
    widths += /[ilj.,:;'’|!() \u00a0]/.test(sign) ? 0.3 : /[A-Zmw%—–…]/.test(sign) ? 0.72 : 0.55;
  return widths * size;
}

/** Breaks a text into lines of at most such a width. */
export function wrap(text: string, size: number, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(`${last} ${word}`, size) <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
