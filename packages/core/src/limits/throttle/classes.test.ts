import { describe, expect, test } from 'vitest';
import { REQUEST } from '../../../test/call-with-limits.ts';
import { pathClassOf, type RequestClass, RequestClasses } from './classes.ts';

test.each<[method: string, url: string, name: string]>([
  ['GET', 'https://a.test/orders/7?page=2', 'GET https://a.test/orders'],
  // The same URL, and then another one.
  ['PUT', 'https://a.test/orders/7?page=2', 'PUT https://a.test/orders'],
  ['POST', 'https://a.test:8443/orders', 'POST https://a.test:8443/orders'],
  ['GET', 'https://a.test?q=//b/c', 'GET https://a.test'],
  ['GET', '/orders/7', 'GET /orders'],
  ['GET', '', 'GET '],
])('the class of %s %s is %s', (method, url, name) => {
  expect(pathClassOf({ ...REQUEST, method, url })).toBe(name);
});

describe('classes', () => {
  const NOW = 1e6;
  const setUp = (count: number) => {
    const classes = new RequestClasses();
    const of = (name: string, nowMs = NOW): RequestClass => classes.of(name, () => nowMs);
    const made = Array.from({ length: count }, (_, at) => of(`class ${at}`));
    for (const { rule } of made) rule.learn(NOW, false, false, 0);
    return { classes, of, made };
  };
  const fail = ({ rule }: RequestClass, times: number, atMs = NOW): void => {
    for (let at = 1; at <= times; at += 1) rule.learn(atMs + 1_000 * at, true, false, 0);
  };

  test('16 have a rule each, and all others share one', () => {
    const { of, made } = setUp(16);
    expect(new Set(made.map(({ rule }) => rule)).size).toBe(16);
    expect([of('class 3'), of('class 15')]).toEqual([made[3], made[15]]);
    const other = of('other');
    expect(made).not.toContain(other);
    expect(of('yet another')).toBe(other);
  });

  test('those without an outcome for 45 s make room', () => {
    const { of, made } = setUp(16);
    made[7]?.rule.learn(NOW + 30_000, false, false, 0);
    expect(of('new', NOW + 45_000).name).toBe('');
    expect(of('new', NOW + 45_001).name).toBe('new');
    expect(of('class 7')).toBe(made[7]);
    expect(of('class 8')).not.toBe(made[8]);
  });

  test('the lowest is that with the lowest level of those in trouble, of those that have learned of late', () => {
    const { classes, made } = setUp(3);
    const [one, two] = made as [RequestClass, RequestClass];
    expect(classes.lowest).toBeUndefined();
    fail(one, 4);
    fail(two, 6);
    classes.learnedAtMs = NOW + 6_000;
    expect(classes.lowest).toBe(two.rule);
    fail(one, 3, NOW + 50_000);
    classes.learnedAtMs = NOW + 53_000;
    expect(classes.lowest).toBe(one.rule);
    classes.reset();
    expect(classes.lowest).toBeUndefined();
  });
});
