import { Bindings } from '../file/bindings.ts';
import { functionOf, isFunction, parametersOf } from '../file/functions.ts';
import { type Option, OptionReader, optionsIn } from '../file/options.ts';
import { argumentsOf, bare, findAll, type Node, PLACEHOLDER, type Source, Stuck } from '../file/source.ts';
import { holderOf, isShared, methodCalls, usesOf } from './instances.ts';
import { ONLY_LIMITS, perSecond, windowBucket, withLimits } from './limits.ts';

const KNOWN = /^(id|maxConcurrent|minTime|reservoir|reservoirRefreshAmount|reservoirRefreshInterval)$/;

/** The policy that `new Bottleneck(options)` becomes. */
function policyOf(source: Source, options: readonly Option[]): string {
  const other = options.find(({ key }) => !KNOWN.test(key));
  if (other !== undefined) throw new Stuck(`\`${other.key}\` has no counterpart`);
  const textOf = (key: string): string | undefined => {
    const value = options.find((option) => option.key === key)?.value;
    return value === undefined || /^(null|0)$/.test(value.text()) ? undefined : source.textOf(value);
  };
  const [slots, minTime, reservoir, amount, interval] = [
    'maxConcurrent',
    'minTime',
    'reservoir',
    'reservoirRefreshAmount',
    'reservoirRefreshInterval',
  ].map(textOf);
  const limits: string[] = [];
  if (minTime !== undefined)
    limits.push(
      `bucket: ${PLACEHOLDER}tokenBucket({ capacity: 1, refillPerSecond: ${perSecond('1', minTime)} })`,
    );
  if (reservoir !== undefined) {
    if (amount === undefined || interval === undefined)
      throw new Stuck('a bucket refills, and this `reservoir` does not');
    if (minTime !== undefined)
      throw new Stuck('a policy has one bucket, and this is two: `minTime` and `reservoir`');
    const bucket = windowBucket(amount, interval);
    limits.push(
      reservoir === amount ? bucket : bucket.replace('capacity:', `initialTokens: ${reservoir}, capacity:`),
    );
  }
  if (slots !== undefined)
    limits.push(`concurrency: ${PLACEHOLDER}concurrencyLimit({ maxConcurrent: ${slots} })`);
  if (limits.length === 0) throw new Stuck('it has no limit that is known');
  return `${PLACEHOLDER}createPolicy({ ${[...ONLY_LIMITS, ...limits].join(', ')} })`;
}

/** @throws Stuck if a job has other options than some */
function jobOf(first: Node | undefined, known: RegExp): void {
  if (first === undefined || bare(first).kind() !== 'object') return;
  const other = optionsIn(bare(first)).find(({ key }) => !known.test(key));
  if (other !== undefined)
    throw new Stuck(`\`${other.key}\` of a job has no counterpart: give it to \`createPolicy\``);
}

/** `limiter.schedule(call, …args)`. */
function schedule(source: Source, call: Node, policy: string): string {
  const [first, ...others] = argumentsOf(call);
  if (first === undefined) throw new Stuck('it schedules nothing');
  const hasOptions = bare(first).kind() === 'object';
  jobOf(first, /^id$/);
  const [called, ...args] = hasOptions ? others : [first, ...others];
  if (called === undefined) throw new Stuck('it schedules nothing');
  const node = bare(called);
  const known = functionOf(source, node);
  const isBare = args.length === 0 && known !== undefined && parametersOf(known).length === 0;
  const callee = isFunction(node) ? `(${source.textOf(node)})` : source.textOf(node);
  const text = isBare
    ? source.textOf(node)
    : `() => ${callee}(${args.map((one) => source.textOf(one)).join(', ')})`;
  return `${PLACEHOLDER}retry(${text}, ${policy})`;
}

/** The limiter stays what it is for all who use it. */
function likeBottleneck(source: Source, made: Node, reader: OptionReader): void {
  const [given] = argumentsOf(made);
  const options = given === undefined ? [] : optionsIn(reader.objectOf(given));
  policyOf(source, options);
  source.replace(made, `${PLACEHOLDER}likeBottleneck(${given === undefined ? '' : source.textOf(given)})`);
}

/** True for a limiter that is used for something else than its methods. */
function isPassedOn(source: Source, holder: string): boolean {
  return usesOf(source, holder).some((use) => use.parent()?.kind() !== 'member_expression');
}

export function bottleneck(source: Source, library = 'bottleneck'): void {
  const bindings = new Bindings(source, library);
  const reader = new OptionReader(source, bindings);
  let isLike = false;
  const done = bindings.calls(source, 'default').map((made) =>
    source.attempt(made, () => {
      const [given] = argumentsOf(made);
      if (given === undefined) throw new Stuck('it has no limit');
      const holder = holderOf(made);
      if (holder === undefined || isShared(made) || isPassedOn(source, holder)) {
        if (holder !== undefined)
          for (const { call } of methodCalls(source, holder, /^(schedule|wrap)$/, true))
            jobOf(argumentsOf(call)[0], /^(id|priority)$/);
        source.mayMove();
        likeBottleneck(source, made, reader);
        source.reach.names.add(holder?.replace(/^.*\./, '') ?? 'limiter');
        isLike = true;
        return;
      }
      const policy = policyOf(source, optionsIn(reader.objectOf(given)));
      for (const { method, call } of methodCalls(source, holder, /^(schedule|wrap)$/)) {
        const [first, second] = argumentsOf(call);
        if (method === 'wrap' && (first === undefined || second !== undefined))
          throw new Stuck('what it wraps is not known');
        source.replace(
          call,
          method === 'wrap'
            ? withLimits(source, bare(first as Node), holder)
            : schedule(source, call, holder),
        );
      }
      source.replace(made, policy);
    }),
  );
  const others = [...bindings.calls(source, 'Group'), ...bindings.calls(source, 'Batcher')];
  for (const other of others)
    source.todo(other, `bottleneck stays here: \`perKey(make, { keyOf })\` has a limit for each key`);
  if (!done.every(Boolean) || others.length > 0) return;
  const types = findAll(source.root, 'type_identifier').filter(
    (type) => !bindings.holds(type) && bindings.named(type) === 'default',
  );
  for (const type of types)
    source.replace(type, PLACEHOLDER + (isLike || done.length === 0 ? 'LikeBottleneck' : 'Policy'));
  if (done.length === 0 && types.length > 0) source.rewritten += 1;
}
