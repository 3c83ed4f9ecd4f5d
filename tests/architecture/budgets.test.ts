import { expect, test } from 'vitest';
import { contractRoutes } from '#tests/support/routes.ts';

/** Calls that a mailbox provider makes for all its users, from few addresses. */
const pressedForMany = new Set(['stopNewsAtOnce']);
const perMinuteMax = 120;

test('whatever a link in a mail opens has a budget of its own for each client', () => {
  const linked = contractRoutes.filter(({ name, route }) => route.access === 'token' || name === 'verifyEmail');
  const generous = linked.filter(
    ({ name, route }) =>
      !((route.ratePerMinute ?? Number.POSITIVE_INFINITY) <= perMinuteMax || pressedForMany.has(name)),
  );
  expect(linked.length).toBeGreaterThan(15);
  expect(generous.map(({ name }) => name)).toEqual([]);
});
