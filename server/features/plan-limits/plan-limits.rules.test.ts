import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planNames, plans, unlimited } from '#shared/rules/plans.ts';
import { megabytes, planLimits } from './plan-limits.rules.ts';

test('a new owner on the free plan may write two messages and store a megabyte', () => {
  expect(planLimits({ plan: 'free', messages: 0, storedBytes: 0 })).toEqual({
    messages: { current: 0, limit: 2, canCreate: true },
    storage: { current: 0, currentBytes: 0, limit: 1, canUpload: true },
  });
});

test('at the limit nothing more fits, and one below it does', () => {
  expect(planLimits({ plan: 'free', messages: 1, storedBytes: 999_999 })).toMatchObject({
    messages: { canCreate: true },
    storage: { canUpload: true },
  });
  expect(planLimits({ plan: 'free', messages: 2, storedBytes: 1_000_000 })).toMatchObject({
    messages: { canCreate: false },
    storage: { current: 1, canUpload: false },
  });
});

test('usage above the plan, as after a downgrade, is reported as it is', () => {
  expect(planLimits({ plan: 'essential', messages: 40, storedBytes: 1_234_567_890 })).toEqual({
    messages: { current: 40, limit: 10, canCreate: false },
    storage: { current: 1_234.6, currentBytes: 1_234_567_890, limit: 500, canUpload: false },
  });
});

test('no plan refuses one thing while it has room for it', () => {
  fc.assert(
    fc.property(fc.constantFrom(...planNames), fc.nat(30), fc.nat(12_000_000_000), (plan, messages, storedBytes) => {
      const limits = planLimits({ plan, messages, storedBytes });
      const { messageLimit, storageLimitMb } = plans[plan];
      expect(limits.messages.canCreate).toBe(messageLimit === unlimited || messages < messageLimit);
      expect(limits.storage.canUpload).toBe(storedBytes < storageLimitMb * 1_000_000);
    }),
  );
});

test('megabytes have one decimal', () => {
  expect([0, 49_999, 50_000, 149_999, 999_999, 1_234_567].map(megabytes)).toEqual([0, 0, 0.1, 0.1, 1, 1.2]);
});
