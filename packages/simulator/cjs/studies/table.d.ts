/** Rows of text under headings. */
export interface Table {
    readonly columns: readonly string[];
    readonly rows: readonly (readonly string[])[];
    /** Explains the headings. */
    readonly legend?: string;
}
/** The table as text. The first column is aligned left, the others right. */
export declare function tableText({ columns, rows, legend }: Table): string;
/** Rows as comma-separated values: RFC 4180, with line feeds as line breaks. */
export declare function csvText(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string;
//# sourceMappingURL=table.d.ts.map