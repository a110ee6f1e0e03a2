import {
  type Check,
  capacity,
  fields,
  flag,
  isObject,
  joinPath,
  notNegative,
  oneOf,
  positive,
  refillRate,
  wrong,
} from './check.ts';

const checkOneUnit = fields({
  refillPerSecond: refillRate,
  capacity,
  '?refillIntervalMs': notNegative,
  '?retryAfter': flag,
});

const checkRate = fields({ refillPerSecond: refillRate, capacity });

const checkDrawn = fields({ mean: positive, spread: oneOf('constant', 'exponential', 'log-normal') });

/** Checks the cost of a request in a unit: a request that always costs more than the unit can hold would never be served. */
function checkSpending(most: number): Check {
  return (path, value) => {
    if (typeof value === 'object' && value !== null) {
      checkDrawn(path, value);
      const { mean, spread } = value as { mean: number; spread: string };
      if (spread === 'constant' && mean > most)
        throw wrong(`${path}.mean`, `at most the capacity, ${most}`, mean);
      return;
    }
    if (typeof value !== 'number') throw wrong(path, 'a number, or an object with mean and spread', value);
    notNegative(path, value);
    if (value > most) throw wrong(path, `at most the capacity, ${most}`, value);
  };
}

/** An object with something for each unit. */
function ofUnits(value: unknown, checkOf: (unit: string) => Check): Check {
  const units = isObject(value) ? Object.keys(value) : [];
  return fields(Object.fromEntries(units.map((unit) => [unit, checkOf(unit)])));
}

const checkLimits: Check = (path, value) => {
  if (!isObject(value) || Object.keys(value).length === 0) {
    throw wrong(path, 'an object with a limit for each unit', value);
  }
  for (const [unit, limit] of Object.entries(value)) checkRate(joinPath(path, unit), limit);
};

/** The limit of a server: of one unit, or of several. */
export const checkLimit: Check = (path, value) => {
  if (!isObject(value) || !('limits' in value)) {
    checkOneUnit(path, value);
    return;
  }
  checkLimits(`${path}.limits`, value.limits);
  const limits = value.limits as Readonly<Record<string, { readonly capacity: number }>>;
  const spends = ofUnits(limits, (unit) =>
    checkSpending((limits[unit] as { readonly capacity: number }).capacity),
  );
  fields({ limits: checkLimits, spends, '?retryAfter': flag })(path, value);
};
