/** The title of a figure: the finding if the figure shows it, else the subject. Another seed may not show it. */
export declare function finding(holds: boolean, text: string, otherwise: string): string;
//# sourceMappingURL=finding.d.ts.map