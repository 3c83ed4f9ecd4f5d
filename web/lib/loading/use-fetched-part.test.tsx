import { act, renderHook } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { currentToasts } from '#web/lib/toast.ts';
import { useFetchedPart } from './use-fetched-part.ts';

const dialog = { name: 'a dialog' };

it('fetches the part when it is first wanted, and no earlier', async () => {
  const fetchPart = vi.fn(async () => dialog);
  const { result } = renderHook(() => useFetchedPart(fetchPart));
  expect([result.current[0], fetchPart.mock.calls.length]).toEqual([undefined, 0]);
  expect(await act(() => result.current[1]())).toBe(true);
  expect(result.current[0]).toBe(dialog);
});

it('says so where it can’t be had, and has it with the next try', async () => {
  const fetchPart = vi.fn(async () => dialog).mockRejectedValueOnce(new Error('The connection was lost.'));
  const { result } = renderHook(() => useFetchedPart(fetchPart));
  expect(await act(() => result.current[1]())).toBe(false);
  expect(currentToasts()[0]).toMatchObject({ title: 'That could not be loaded', variant: 'destructive' });
  expect(await act(() => result.current[1]())).toBe(true);
  expect(result.current[0]).toBe(dialog);
});

it('fetches it in any case where the page is idle, and says nothing where that fails', async () => {
  const fetchPart = vi.fn(async () => dialog).mockRejectedValueOnce(new Error('The connection was lost.'));
  const before = currentToasts().length;
  const { result } = renderHook(() => useFetchedPart(fetchPart, { isFetchedWhenIdle: true }));
  await vi.waitFor(() => expect(fetchPart).toHaveBeenCalledTimes(1));
  expect([result.current[0], currentToasts().length]).toEqual([undefined, before]);
});
