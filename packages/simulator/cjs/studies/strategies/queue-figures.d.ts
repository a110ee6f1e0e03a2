/** Requests in flight to a service that becomes slow. */
export declare function slotsFigure(): string;
/** How long a small tenant waits beside a large one. */
export declare function tenantsFigure(): string;
/** How long urgent requests wait behind others. */
export declare function prioritiesFigure(): string;
/** Eight processes under one quota. */
export declare function processesFigure(): string;
//# sourceMappingURL=queue-figures.d.ts.map