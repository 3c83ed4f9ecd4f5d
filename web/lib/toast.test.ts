import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { currentToasts, dismissToast, toast } from '#web/lib/toast.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('removes a notice a million milliseconds after it was closed, and not one sooner', () => {
  toast({ title: 'Closed' });
  const id = currentToasts()[0]?.id ?? 0;
  dismissToast(id);
  vi.advanceTimersByTime(999_999);
  expect(currentToasts()).toMatchObject([{ id, isOpen: false }]);
  vi.advanceTimersByTime(1);
  expect(currentToasts()).toEqual([]);
});

it('never removes one that stands', () => {
  toast({ title: 'Standing' });
  vi.advanceTimersByTime(2_000_000);
  expect(currentToasts()).toMatchObject([{ title: 'Standing', isOpen: true }]);
  dismissToast(currentToasts()[0]?.id ?? 0);
  vi.runAllTimers();
});
