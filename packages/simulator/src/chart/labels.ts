/**
 * Places labels at their wished heights, or as near to them as possible: no label overlaps another or leaves the stretch
 * from `top` to `bottom`, and they keep their order. Heights are those of the middles.
 */
export function spread(
  wished: readonly number[],
  heights: readonly number[],
  top: number,
  bottom: number,
): number[] {
  const order = wished
    .map((_, at) => at)
    .sort((a, b) => (wished[a] as number) - (wished[b] as number) || a - b);
  // After subtracting the heights of the labels above, the labels are points that may not pass each other.
  let above = 0;
  const offsets = order.map((at) => {
    const height = heights[at] as number;
    above += height;
    return above - height / 2;
  });
  const groups: { sum: number; members: number }[] = [];
  for (const [rank, at] of order.entries()) {
    let group = { sum: (wished[at] as number) - (offsets[rank] as number), members: 1 };
    // Labels that touch move as one group, to the mean of their wishes.
    for (let last = groups.at(-1); last && last.sum / last.members > group.sum / group.members; ) {
      group = { sum: last.sum + group.sum, members: last.members + group.members };
      groups.pop();
      last = groups.at(-1);
    }
    groups.push(group);
  }
  const places = groups.flatMap(({ sum, members }) => {
    const place = Math.max(top, Math.min(sum / members, bottom - above));
    return new Array<number>(members).fill(place);
  });
  const result = new Array<number>(wished.length);
  for (const [rank, at] of order.entries()) result[at] = (places[rank] as number) + (offsets[rank] as number);
  return result;
}
