"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.finding = finding;
/** The title of a figure: the finding if the figure shows it, else the subject. Another seed may not show it. */
function finding(holds, text, otherwise) {
    return holds ? text : otherwise;
}
//# sourceMappingURL=finding.js.map