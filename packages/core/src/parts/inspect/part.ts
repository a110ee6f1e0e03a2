import { peekAt } from '../../bodies/peek.ts';
import type { Judgement, Responded } from '../../http/outcome.ts';
import type { BodyInspector } from '../../loop/contracts.ts';
import type { Look, Part, PartCall, Turn } from '../../loop/part.ts';

/** Judges responses by their bodies. */
export function inspectPart(inspector: Pick<BodyInspector, 'look'>): Part {
  // An inner layer leaves its responses to the outer one.
  const begin = (call: PartCall): Turn | undefined =>
    call.around.isInner ? undefined : new InspectTurn(inspector, call);
  return { name: 'inspect', place: 'reading', begin };
}

class InspectTurn implements Turn {
  readonly #inspector: Pick<BodyInspector, 'look'>;
  readonly #call: PartCall;

  constructor(inspector: Pick<BodyInspector, 'look'>, call: PartCall) {
    this.#inspector = inspector;
    this.#call = call;
  }

  async judge(outcome: Responded, _: Judgement | undefined, look: Look): Promise<Judgement | undefined> {
    const { request, policy } = this.#call;
    const { clock } = policy;
    const open = (maxBytes: number) => peekAt(look.open(), maxBytes, { signal: look.signal, clock });
    const looked = await this.#inspector.look(outcome, { ...look, open, request, clock });
    return looked.type === 'response' ? looked.judgement : undefined;
  }
}
