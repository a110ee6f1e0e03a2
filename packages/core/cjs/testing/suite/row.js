"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.needsOf = needsOf;
/** Every ability that a row needs. */
function needsOf({ needs = [], request = {} }) {
    return [
        ...needs,
        ...(request.once === undefined ? [] : ['streams']),
        ...(request.factory === undefined ? [] : ['bodyFactories']),
        ...(request.ebb === undefined ? [] : ['requestOptions']),
    ];
}
//# sourceMappingURL=row.js.map