import { runHolding } from '#nested';
import type { CallView } from '../policy/call-view.ts';

/** The slots and tokens that a call holds while its user code runs. */
type HolderCall = Pick<CallView, 'bodyHolder' | 'bucket' | 'isInner' | 'outer'>;

/**
 * Calls user code of a call. A request of the user code does not wait for slots, or for tokens charged at the end, of limits that
 * this call or a call around it holds: such a wait could be a deadlock. The request is no attempt of the calls around this one.
 *
 * @param own an object that the code holds as well
 */
export function asUserCode<T>(
  { bodyHolder, bucket, isInner, outer }: HolderCall,
  run: () => T,
  own?: object,
): T {
  const isHeld = (one: object | undefined): one is object => one !== undefined;
  const held = [bodyHolder, bucket?.chargesOnCompletion ? bucket : undefined, own].filter(isHeld);
  const around = outer?.slotsHeld ?? [];
  return held.length > 0 || around.length > 0 || isInner ? runHolding([...around, ...held], run) : run();
}
