"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.sampleOf = sampleOf;
/** The mean of some numbers and its standard error. */
function sampleOf(values) {
    let sum = 0;
    for (const value of values)
        sum += value;
    const mean = sum / values.length;
    let squares = 0;
    for (const value of values)
        squares += (value - mean) ** 2;
    return { mean, standardError: Math.sqrt(squares / Math.max(1, values.length - 1) / values.length) };
}
//# sourceMappingURL=sample.js.map