/** What a request costs by unit, such as `{ requests: 1, outputTokens: 700 }`. */
export type Costs = Readonly<Record<string, number>>;
