"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.withJudgement = withJudgement;
/** The same response with a judgement. */
function withJudgement(outcome, judgement) {
    const { type, status, redirected, url } = outcome;
    return { type, status, redirected, url, judgement, header: (name) => outcome.header(name) };
}
//# sourceMappingURL=judged.js.map