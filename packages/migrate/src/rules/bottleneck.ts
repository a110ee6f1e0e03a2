import { optionsIn } from '../file/options.ts';
import { argumentsOf, bare, findAll, type Node, type Source, Stuck } from '../file/source.ts';
import type { CallSites, Kind } from './call-site.ts';
import { renameCalls } from './counterparts.ts';
import { checkMethods, holderOf, isShared, usesOf } from './instances.ts';

const PER_KEY = '`perKey(make, { keyOf })` has a limit for each key';

const KIND: Omit<Kind, 'library'> = {
  like: 'likeBottleneck',
  options: {
    ...{ id: {}, maxConcurrent: {}, minTime: {} },
    ...{ reservoir: {}, reservoirRefreshAmount: {}, reservoirRefreshInterval: {} },
  },
  types: {
    default: '@LikeBottleneck',
    ConstructorOptions: '@LikeBottleneckOptions',
    JobOptions: '@LikeBottleneckJob',
  },
  stays: { Group: PER_KEY, Batcher: PER_KEY },
  isTogether: true,
};

/** @throws Stuck for a reservoir that a bucket is not */
function checkReservoir(given: Node | undefined): void {
  if (given === undefined || bare(given).kind() !== 'object') return;
  const options = optionsIn(bare(given)).filter(({ value }) => !/^(null|0|undefined)$/.test(value.text()));
  const has = (key: string): boolean => options.some((option) => option.key === key);
  if (!has('reservoir') || has('...')) return;
  if (!has('reservoirRefreshAmount') || !has('reservoirRefreshInterval'))
    throw new Stuck('a bucket refills, and this `reservoir` does not');
  if (has('minTime')) throw new Stuck('a policy has one bucket, and this is two: `minTime` and `reservoir`');
}

/** @throws Stuck if a job has options without a counterpart */
function checkJob(call: Node): void {
  const [first] = argumentsOf(call);
  if (first === undefined || bare(first).kind() !== 'object') return;
  const other = optionsIn(bare(first)).find(({ key }) => !/^(id|priority|\.\.\.)$/.test(key));
  if (other !== undefined) throw new Stuck(`\`${other.key}\` of a job has no counterpart`);
}

/** True for a limiter that is used for something else than its methods. */
function isPassedOn(source: Source, holder: string): boolean {
  return usesOf(source, holder).some((use) => use.parent()?.kind() !== 'member_expression');
}

/** @throws Stuck for a limiter that stays */
function check({ source, hasTypes }: CallSites, made: Node): void {
  const [given] = argumentsOf(made);
  const holder = holderOf(made);
  if (holder !== undefined) checkMethods(source, holder, /^(schedule|wrap)$/, checkJob);
  const members = findAll(source.root, 'property_identifier');
  if (members.some((one) => one.text() === 'withOptions' && one.parent()?.kind() === 'member_expression'))
    throw new Stuck('`withOptions` has no counterpart');
  checkReservoir(given);
  if (holder !== undefined && !isShared(made) && !isPassedOn(source, holder) && !hasTypes) return;
  source.mayMove();
  source.reach.names.push(holder?.replace(/^.*\./, '') ?? 'limiter');
}

export function bottleneck(source: Source, library = 'bottleneck'): void {
  renameCalls(source, { kind: { ...KIND, library }, optionsAt: 0, check });
  // A group is a limiter as well.
  source.reach.kept += source.stuck;
}
