/** App Engine's buckets of 500 and 100 tokens at 500 per second. */
export declare function appEngineFigure(): string;
/** The five cases of API Gateway. */
export declare function gatewayFigure(): string;
/** The three treatments of requests that find no token. */
export declare function treatmentsFigure(): string;
//# sourceMappingURL=bucket-figures.d.ts.map