"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.stepFor = stepFor;
exports.linearScale = linearScale;
exports.roundUp = roundUp;
exports.numeral = numeral;
/** A round step, 1, 2 or 5 times a power of ten, that divides the span into about this many steps. */
function stepFor(span, steps) {
    const rough = span / steps;
    const power = 10 ** Math.floor(Math.log10(rough));
    const [step = 10] = [1, 2, 5, 10].filter((times) => times * power >= 0.7 * rough);
    return step * power;
}
/** A scale from 0 to `most`, with a few round ticks. */
function linearScale(most, from, to, step = stepFor(most, 4)) {
    const count = Math.floor(most / step + 1e-9);
    const ticks = Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(12)));
    return Object.assign((value) => from + (value / most) * (to - from), { ticks });
}
/** The next round number, at which an axis with this largest value ends. */
function roundUp(value, steps = 4) {
    if (value <= 0)
        return 1;
    const step = stepFor(value, steps);
    return Math.ceil(value / step - 1e-9) * step;
}
/** 1,234 and 0.5: an English numeral, independent of the machine's locale. */
function numeral(value) {
    const [whole = '', fraction] = String(Number(value.toPrecision(12))).split('.');
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
    return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
//# sourceMappingURL=scale.js.map