/** A place in the figure, in pixels. */
export type Place = readonly [x: number, y: number];
/** Places in order of x. */
export type Curve = readonly Place[];

/** The length of a turn, in pixels. */
const TURN = 10;
/** A line of two pixels hides a line below it that is nearer than this. */
const NEAR = 1.5;

/** The height of a curve at this x; `undefined` beyond its ends. */
function heightAt(curve: Curve, x: number): number | undefined {
  let [low, high] = [0, curve.length - 1];
  if (high < 0 || x < (curve[0] as Place)[0] || x > (curve[high] as Place)[0]) return undefined;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((curve[middle] as Place)[0] <= x) low = middle;
    else high = middle;
  }
  const [[fromX, fromY], [toX, toY]] = [curve[low] as Place, curve[high] as Place];
  return toX === fromX ? fromY : fromY + ((x - fromX) / (toX - fromX)) * (toY - fromY);
}

/** The heights of a curve at the start, in the middle and at the end of a turn. */
type Heights = readonly [number, number, number];

function heightsIn(curve: Curve, from: number, to: number): Heights | undefined {
  const [first, middle, last] = [from, (from + to) / 2, to].map((x) => heightAt(curve, x));
  return first === undefined || middle === undefined || last === undefined
    ? undefined
    : [first, middle, last];
}

/** Whether two curves look like one line. On steep curves the distance is measured across the line. */
function lieTogether(one: Heights, other: Heights | undefined, width: number): boolean {
  const slope = width / Math.hypot(width, one[2] - one[0]);
  return other !== undefined && one.every((y, at) => Math.abs(y - (other[at] as number)) * slope <= NEAR);
}

/**
 * The pieces of each curve that are drawn again on top of all curves. Coinciding curves are on top in turns, so that
 * each curve is visible. No curve is moved.
 */
export function turnsOf(curves: readonly Curve[], left: number, right: number): Curve[][] {
  const pieces: Curve[][] = curves.map(() => []);
  for (let turn = 0, from = left; from < right; turn += 1, from += TURN) {
    const to = Math.min(from + TURN, right);
    const heights = curves.map((curve) => heightsIn(curve, from, to));
    for (const [at, own] of heights.entries()) {
      if (own === undefined) continue;
      const group = heights.flatMap((other, index) => (lieTogether(own, other, to - from) ? [index] : []));
      const isHidden = group.at(-1) !== at;
      if (!isHidden || group[turn % group.length] !== at) continue;
      const inside = (curves[at] as Curve).filter(([x]) => x > from && x < to);
      pieces[at]?.push([[from, own[0]], ...inside, [to, own[2]]]);
    }
  }
  return pieces;
}
