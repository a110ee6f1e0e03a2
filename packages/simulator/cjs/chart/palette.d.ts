/** The colours of figures. Each has a contrast of 4.3 both to white and to a dark page. */
export declare const COLOURS: {
    readonly grey: '#737a81';
    readonly blue: '#1377e9';
    readonly orange: '#bf5e0a';
    readonly green: '#148b46';
    readonly red: '#e23543';
    readonly purple: '#9a59dc';
    readonly teal: '#0c8691';
    readonly pink: '#da2f93';
    readonly olive: '#857b0f';
    readonly brown: '#b26544';
};
export type Colour = keyof typeof COLOURS;
//# sourceMappingURL=palette.d.ts.map