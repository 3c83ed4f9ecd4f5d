import { expect, test } from 'vitest';
import { AppError } from '#shared/contract/errors.ts';
import { planNames, plans, unlimited } from '#shared/rules/plans.ts';
import { readAtOnce, requireChangeable, requireRoom } from './messages.rules.ts';

function refusalOf(act: () => void): AppError | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

test.each(planNames)('%s takes messages up to its limit and no further', (plan) => {
  const { messageLimit } = plans[plan];
  if (messageLimit === unlimited) {
    expect(refusalOf(() => requireRoom(plan, 1_000_000))).toBeUndefined();
    return;
  }
  expect(refusalOf(() => requireRoom(plan, messageLimit - 1))).toBeUndefined();
  for (const current of [messageLimit, messageLimit + 3]) {
    const refusal = refusalOf(() => requireRoom(plan, current));
    expect(refusal?.status).toBe(403);
    expect(refusal?.type).toBe('MESSAGE_LIMIT_EXCEEDED');
    expect(refusal?.message).toContain('plan limit');
    expect(refusal?.details).toEqual({ upgradeRequired: true, current, limit: messageLimit });
  }
});

test('drafts and ready messages may be changed, delivered ones may not', () => {
  expect(refusalOf(() => requireChangeable({ status: 'draft', hasReader: false }))).toBeUndefined();
  expect(refusalOf(() => requireChangeable({ status: 'ready', hasReader: false }))).toBeUndefined();
  expect(refusalOf(() => requireChangeable({ status: 'delivered', hasReader: true }))).toMatchObject({
    type: 'CONFLICT',
    status: 409,
  });
});

test('messages are read in lists of a bounded number and length, and a longer one alone', () => {
  const found = [3, 3, 4, 1, 1, 1, 12, 2].map((length, index) => ({ id: `${index}`, length }));
  const lists = readAtOnce(found, { countMax: 3, lengthMax: 10 });
  expect(lists).toEqual([['0', '1', '2'], ['3', '4', '5'], ['6'], ['7']]);
  expect(readAtOnce([], { countMax: 3, lengthMax: 10 })).toEqual([]);
});
