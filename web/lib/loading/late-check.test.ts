import type { FieldValues, Resolver, ResolverOptions } from 'react-hook-form';
import { expect, it, vi } from 'vitest';
import { lateCheck } from './late-check.ts';

const options = { fields: {}, shouldUseNativeValidation: false } as ResolverOptions<FieldValues>;
const issue = { type: 'custom', message: 'Please enter a valid email address' };
const strict: Resolver = () => ({ values: {}, errors: { email: issue } });

it('checks by the rules once they have come, and fetches none before the form is used', async () => {
  const fetchCheck = vi.fn(async () => strict);
  const check = lateCheck(fetchCheck);
  expect(fetchCheck).not.toHaveBeenCalled();
  check.fetch();
  expect(fetchCheck).toHaveBeenCalledTimes(1);
  expect(await check.resolver({ email: 'sam@' }, undefined, options)).toEqual({ values: {}, errors: { email: issue } });
});

it('lets a form go as it was typed where they do not come, and asks for them again with the next press', async () => {
  const fetchCheck = vi.fn(async () => strict).mockRejectedValueOnce(new Error('The connection was lost.'));
  const check = lateCheck(fetchCheck);
  const typed = { email: 'sam@' };
  expect(await check.resolver(typed, undefined, options)).toEqual({ values: typed, errors: {} });
  expect(await check.resolver(typed, undefined, options)).toEqual({ values: {}, errors: { email: issue } });
});

it('waits for rules that never come no longer than three seconds', async () => {
  vi.useFakeTimers();
  const check = lateCheck<FieldValues, FieldValues>(() => new Promise(() => undefined));
  const typed = { email: 'sam@' };
  const checking = check.resolver(typed, undefined, options);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await checking).toEqual({ values: typed, errors: {} });
  vi.useRealTimers();
});
