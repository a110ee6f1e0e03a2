/** The attributes of an element. Numbers are rounded, and `undefined` is left out. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** Rounds to a tenth of a pixel, so that a changed figure has a small diff. */
function round(value: number): string {
  return String(Math.round(value * 10) / 10 + 0);
}

/** Control characters: XML has none of them, so that browsers would not show a figure with one. */
const NOT_IN_XML = /(?![\t\n\r])[\p{Cc}\ufffe\uffff]/gu;

function escapeText(text: string): string {
  return text
    .replaceAll(NOT_IN_XML, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** An SVG element with its children: elements, or an escaped text. */
export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) => ` ${key}="${typeof value === 'number' ? round(value) : escapeText(String(value))}"`,
    )
    .join('');
  if (children.length === 0) return `<${name}${written}/>`;
  const multiline = children.some((child) => child.startsWith('<'));
  const inside = multiline ? `\n${children.join('\n')}\n` : children.join('');
  return `<${name}${written}>${inside}</${name}>`;
}

/** A text element. */
export function label(text: string, attributes: Attributes): string {
  return element('text', attributes, escapeText(text));
}

/** The path data of a line through these points. */
export function pathThrough(points: readonly (readonly [x: number, y: number])[]): string {
  return points.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${round(x)} ${round(y)}`).join('');
}
