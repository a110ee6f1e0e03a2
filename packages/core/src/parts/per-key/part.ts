import { wrongType } from '../../base/check.ts';
import { HookError } from '../../base/errors.ts';
import { admit } from '../../loop/admit.ts';
import type { Call, Part, Turn } from '../../loop/part.ts';

/** The limit of the key of each call takes part in it. */
export class PerKeyPart implements Part {
  readonly name = 'per-key';
  /** What it makes is not known yet. Of two parts in one place the one that its option puts first goes first. */
  readonly place = 'tokens';
  readonly admit: typeof admit = admit;
  readonly #limitOf: (call: Call) => object;

  constructor(limitOf: (call: Call) => object) {
    this.#limitOf = limitOf;
  }

  /** @throws HookError if what `make` returns is no limit */
  begin(call: Call): Turn | undefined {
    const limit = this.#limitOf(call) as { readonly part?: Part };
    if (limit.part !== undefined) return limit.part.begin(call);
    throw new HookError(
      'make',
      wrongType('its result', 'a limit, or ownBucket(…), ownLimit(…), ownBudget(…)', limit),
    );
  }
}
