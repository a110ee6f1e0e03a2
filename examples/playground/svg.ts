const NAMESPACE = 'http://www.w3.org/2000/svg';

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An SVG element with attributes and children. */
export function svg(tag: string, attributes: Attributes = {}, ...children: (Node | string)[]): SVGElement {
  const element = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

/** Rounds a coordinate to a tenth of a pixel. */
export function px(value: number): number {
  return Math.round(value * 10) / 10;
}

export type Map1 = (value: number) => number;

/** A straight scale from values to pixels. */
export function linear(fromValue: number, toValue: number, fromPx: number, toPx: number): Map1 {
  const span = toValue - fromValue || 1;
  return (value) => px(fromPx + ((value - fromValue) / span) * (toPx - fromPx));
}

/** A few round numbers from 0 to `most`. With `beyond` the last is `most` or above. */
export function ticks(most: number, about: number, beyond = false): number[] {
  if (!(most > 0)) return [0];
  const rough = most / about;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5].find((factor) => factor * unit >= rough * 0.999) ?? 10) * unit;
  const last = beyond ? Math.ceil(most / step - 1e-9) : Math.floor(most / step + 1e-9);
  return Array.from({ length: last + 1 }, (_, at) => Number((at * step).toPrecision(12)));
}

/** The path data of a line through these points. */
export function line(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${x} ${y}`).join('');
}

/** A label that is legible over lines. An estimate of its width keeps it inside the figure. */
export function label(
  text: string,
  x: number,
  y: number,
  { anchor = 'start', width, colour = 'ink' }: { anchor?: string; width?: number; colour?: string } = {},
): SVGElement {
  const half = text.length * 3.2;
  const at = width === undefined || anchor !== 'middle' ? x : Math.min(width - half, Math.max(half, x));
  return svg('text', { x: px(at), y: px(y), 'text-anchor': anchor, class: `label ${colour}` }, text);
}

/** Horizontal lines at the marks, each with its number on the left. */
export function levels(
  marks: readonly number[],
  y: Map1,
  [left, right]: readonly [number, number],
  format: (value: number) => string,
): Node[] {
  return marks.flatMap((mark) => [
    svg('path', { d: `M${left} ${y(mark)}H${right}`, class: mark === 0 ? 'grid zero' : 'grid' }),
    label(format(mark), left - 6, y(mark) + 4, { anchor: 'end', colour: 'muted' }),
  ]);
}

/** A dashed horizontal line, with its name at the right end. */
export function level(name: string, y: number, [left, right]: readonly [number, number]): Node[] {
  return [
    svg('path', { d: `M${left} ${y}H${right}`, class: 'line muted dashed' }),
    label(name, right, y - 5, { anchor: 'end', colour: 'muted' }),
  ];
}

/** A vertical line that a transform moves to a time. The part of the figure to its right can be veiled. */
export function cursor(top: number, bottom: number, width: number): SVGElement {
  return svg(
    'g',
    { 'data-cursor': '', transform: `translate(${width} 0)` },
    svg('rect', { x: 0, y: top, width, height: bottom - top, class: 'veil' }),
    svg('path', { d: `M0 ${top}V${bottom}`, class: 'cursor' }),
  );
}

/** Draws a figure in the size of its place in pixels, so that texts keep their size. Its name describes it. */
export function figure(plot: HTMLElement, name: string, ...children: Node[]): SVGElement {
  const { clientWidth: width, clientHeight: height } = plot;
  const root = svg('svg', {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
    'aria-label': name,
  });
  root.append(...children);
  plot.replaceChildren(root);
  return root;
}
