"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.InspectPart = void 0;
/** Judges responses by their bodies. */
class InspectPart {
    name = 'inspect';
    place = 'reading';
    #inspector;
    constructor(inspector) {
        this.#inspector = inspector;
    }
    begin(call) {
        // An inner layer leaves its responses to the outer one.
        return call.around.isInner ? undefined : new InspectTurn(this.#inspector, call);
    }
}
exports.InspectPart = InspectPart;
class InspectTurn {
    #inspector;
    #call;
    constructor(inspector, call) {
        this.#inspector = inspector;
        this.#call = call;
    }
    async read(outcome, _, look) {
        const { request, policy } = this.#call;
        const looked = await this.#inspector.look(outcome, { ...look, request, clock: policy.clock });
        return looked.type === 'response' ? looked.judgement : undefined;
    }
}
//# sourceMappingURL=inspect.js.map