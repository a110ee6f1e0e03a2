"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.element = element;
exports.label = label;
exports.pathThrough = pathThrough;
/** Rounds to a tenth of a pixel, so that a changed figure has a small diff. */
function round(value) {
    return String(Math.round(value * 10) / 10 + 0);
}
function escaped(text) {
    return text
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        .replaceAll('"', '&quot;');
}
/** An SVG element with its children: elements, or an escaped text. */
function element(name, attributes, ...children) {
    const written = Object.entries(attributes)
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => ` ${key}="${typeof value === 'number' ? round(value) : escaped(String(value))}"`)
        .join('');
    if (children.length === 0)
        return `<${name}${written}/>`;
    const multiline = children.some((child) => child.startsWith('<'));
    const inside = multiline ? `\n${children.join('\n')}\n` : children.join('');
    return `<${name}${written}>${inside}</${name}>`;
}
/** A text element. */
function label(text, attributes) {
    return element('text', attributes, escaped(text));
}
/** The path data of a line through these points. */
function pathThrough(points) {
    return points.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${round(x)} ${round(y)}`).join('');
}
//# sourceMappingURL=svg.js.map