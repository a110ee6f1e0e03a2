import { Bindings } from '../file/bindings.ts';
import { OptionReader, optionsIn } from '../file/options.ts';
import { argumentsOf, bare, type Node, PLACEHOLDER, type Source, Stuck } from '../file/source.ts';
import { besideOf, holderOf, isShared, usesOf } from './instances.ts';
import { ONLY_LIMITS, windowBucket, withLimits } from './limits.ts';

const MEMBERS = /^(abort|isEnabled|queueSize)$/;

/** The policy that `pThrottle(options)` becomes. */
function policyOf(source: Source, reader: OptionReader, call: Node): string {
  const [given] = argumentsOf(call);
  if (given === undefined) throw new Stuck('it has no options');
  const options = optionsIn(reader.objectOf(given));
  const other = options.find(
    ({ key, value }) => !/^(limit|interval)$/.test(key) && !(key === 'strict' && value.text() === 'false'),
  );
  if (other?.key === 'strict') throw new Stuck('a bucket has no sliding window, as `strict` has');
  if (other !== undefined) throw new Stuck(`\`${other.key}\` has no counterpart`);
  const textOf = (key: string): string => {
    const found = options.find((option) => option.key === key);
    if (found === undefined) throw new Stuck(`it has no ${key}`);
    return source.textOf(found.value);
  };
  return `${PLACEHOLDER}createPolicy({ ${[...ONLY_LIMITS, windowBucket(textOf('limit'), textOf('interval'))].join(', ')} })`;
}

/** Whether the throttled function is used only to be called. */
function checkUses(source: Source, wrapping: Node): void {
  const holder = holderOf(wrapping);
  const members = holder === undefined ? [] : usesOf(source, holder).map((use) => use.parent());
  for (const member of members) {
    const name = member?.kind() === 'member_expression' ? member.field('property')?.text() : undefined;
    if (name !== undefined && MEMBERS.test(name)) throw new Stuck(`\`${name}\` has no counterpart`);
  }
}

export function pThrottle(source: Source): void {
  const bindings = new Bindings(source, 'p-throttle');
  const reader = new OptionReader(source, bindings);
  const wrap = (wrapping: Node, policy: string): void => {
    checkUses(source, wrapping);
    const [called, ...others] = argumentsOf(wrapping);
    if (called === undefined || others.length > 0) throw new Stuck('what it limits is not known');
    source.replace(wrapping, withLimits(source, bare(called), policy));
  };
  for (const call of bindings.calls(source, 'default')) {
    source.attempt(call, () => {
      const policy = policyOf(source, reader, call);
      const outer = call.parent();
      if (outer?.kind() === 'call_expression' && outer.field('function')?.id() === call.id()) {
        // The policy is made once, and not in each call.
        const name = `${holderOf(outer)?.replace(/^.*\./, '') ?? 'throttled'}Policy`;
        const statement = besideOf(call);
        const lead = /[ \t]*$/.exec(source.text.slice(0, statement.range().start.index))?.[0] ?? '';
        source.insert(statement.range().start.index, `const ${name} = ${policy}${source.semicolon}\n${lead}`);
        wrap(outer, name);
        return;
      }
      const holder = holderOf(call);
      if (holder === undefined || isShared(call)) throw new Stuck('what it limits is in another file');
      const wrappings = usesOf(source, holder).map((use) => use.parent());
      for (const wrapping of wrappings) {
        if (wrapping?.kind() !== 'call_expression') throw new Stuck(`${holder} is not only called`);
        wrap(wrapping, holder);
      }
      source.replace(call, policy);
    });
  }
}
