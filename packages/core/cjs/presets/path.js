"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.pathOf = pathOf;
/** The path of a URL, absolute or not, with what stands in front of it: without the query and the fragment. */
function pathOf(url) {
    return url.replace(/[?#].*$/s, '');
}
//# sourceMappingURL=path.js.map