import { Bindings } from '../file/bindings.ts';
import { OptionReader, optionsIn } from '../file/options.ts';
import {
  argumentsOf,
  findAll,
  type Node,
  PLACEHOLDER,
  type Source,
  Stuck,
  stringOf,
  textToCompare,
} from '../file/source.ts';
import { besideOf, holderOf } from './instances.ts';
import { ONLY_LIMITS, windowBucket } from './limits.ts';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const METHODS = /^(getMaxRPS|setMaxRPS|setRateLimitOptions|getQueue)$/;

/** `1s` in milliseconds. */
function millisecondsOf(value: Node): string {
  const [, count, unit = ''] = /^([\d.]+)(ms|s|m|h)$/.exec(stringOf(value) ?? '') ?? [];
  return count === undefined ? value.text() : String(Number(count) * (UNITS[unit] ?? 1));
}

function interceptorOf(reader: OptionReader, given: Node | undefined): string {
  if (given === undefined) throw new Stuck('it has no options');
  const options = optionsIn(reader.objectOf(given));
  const valueOfOption = (key: string): Node | undefined =>
    options.find((option) => option.key === key)?.value;
  const other = options.find(({ key }) => !/^(maxRequests|perMilliseconds|duration|maxRPS)$/.test(key));
  if (other?.key === 'limits')
    throw new Stuck('several limits are a `quotaBucket({ limits })`, which refills all the time');
  if (other !== undefined) throw new Stuck(`\`${other.key}\` has no counterpart`);
  const perSecond = valueOfOption('maxRPS');
  const count = perSecond ?? valueOfOption('maxRequests');
  const interval = valueOfOption('duration') ?? valueOfOption('perMilliseconds');
  if (count === undefined || (perSecond === undefined && interval === undefined))
    throw new Stuck('its limit is not known');
  const bucket = windowBucket(
    count.text(),
    perSecond !== undefined || interval === undefined ? '1000' : millisecondsOf(interval),
  );
  return `${PLACEHOLDER}ebbInterceptor({ ${[...ONLY_LIMITS, bucket].join(', ')} })`;
}

export function axiosRateLimit(source: Source): void {
  const bindings = new Bindings(source, 'axios-rate-limit');
  const reader = new OptionReader(source, bindings);
  const methods = findAll(source.root, 'property_identifier').filter((node) => METHODS.test(node.text()));
  const done = bindings.calls(source, 'default').map((call) =>
    source.attempt(call, () => {
      const [client, options] = argumentsOf(call);
      if (client === undefined) throw new Stuck('it limits nothing');
      if (methods[0] !== undefined)
        throw new Stuck(
          `\`${methods[0].text()}\` is \`setRate\` or \`stats\` of a bucket, which needs a name`,
        );
      if (source.text.includes(`${textToCompare(client)}.interceptors.request.use(ebbInterceptor(`))
        throw new Stuck('give the bucket to the policy that retries');
      const interceptor = interceptorOf(reader, options);
      const statement = besideOf(call);
      const lead = /[ \t]*$/.exec(source.text.slice(0, statement.range().start.index))?.[0] ?? '';
      const use = (holder: string): string =>
        `${holder}.interceptors.request.use(${interceptor})${source.semicolon}`;
      const holder = holderOf(call);
      if (call.parent()?.kind() === 'expression_statement')
        source.replace(call, use(client.text()).replace(/;$/, ''));
      else if (call.parent()?.kind() === 'return_statement') {
        const made = `const client = ${source.textOf(client)}${source.semicolon}\n${lead}${use('client')}\n${lead}`;
        source.insert(statement.range().start.index, made);
        source.replace(call, 'client');
      } else if (holder !== undefined && !/^(module\.)?exports/.test(holder)) {
        source.replace(call, source.textOf(client));
        source.insert(statement.range().end.index, `\n${lead}${use(holder)}`);
      } else throw new Stuck('the client has no name');
    }),
  );
  if (!done.every(Boolean)) return;
  for (const type of findAll(source.root, 'type_identifier'))
    if (
      !bindings.holds(type) &&
      /^RateLimited(AxiosInstance)?$|^AxiosRateLimiter$/.test(bindings.named(type) ?? '')
    )
      source.replace(type, `${PLACEHOLDER}AxiosInstance`);
}
