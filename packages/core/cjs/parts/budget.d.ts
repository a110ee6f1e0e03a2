import type { OwnBudget } from '../limits/contracts.ts';
import type { Call, Part, Turn } from '../policy/part.ts';
/** Every retry withdraws from the budget. */
export declare class BudgetPart implements Part {
    #private;
    readonly name = "budget";
    readonly place = "watching";
    constructor(budget: OwnBudget);
    begin(call: Call): Turn | undefined;
}
//# sourceMappingURL=budget.d.ts.map