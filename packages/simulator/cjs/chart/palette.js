"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.COLOURS = void 0;
/** The colours of figures. Each has a contrast of 4.3 both to white and to a dark page. */
exports.COLOURS = {
    grey: '#737a81',
    blue: '#1377e9',
    orange: '#bf5e0a',
    green: '#148b46',
    red: '#e23543',
    purple: '#9a59dc',
    teal: '#0c8691',
    pink: '#da2f93',
    olive: '#857b0f',
    brown: '#b26544',
};
//# sourceMappingURL=palette.js.map