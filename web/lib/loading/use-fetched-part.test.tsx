import { act, renderHook } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { currentToasts } from '#web/lib/toast.ts';
import { useFetchedPart } from './use-fetched-part.ts';

const dialog = { name: 'a dialog' };

it('fetches the part when it is first wanted, and no earlier', async () => {
  const fetchPart = vi.fn(async () => dialog);
  const { result } = renderHook(() => useFetchedPart(fetchPart));
  expect([result.current.part, fetchPart.mock.calls.length]).toEqual([undefined, 0]);
  expect(await act(() => result.current.want())).toBe(true);
  expect(result.current.part).toBe(dialog);
});

it('says so where it can’t be had, and has it with the next try', async () => {
  const fetchPart = vi.fn(async () => dialog).mockRejectedValueOnce(new Error('The connection was lost.'));
  const { result } = renderHook(() => useFetchedPart(fetchPart));
  expect(await act(() => result.current.want())).toBe(false);
  expect(currentToasts()[0]).toMatchObject({ title: 'That could not be loaded', variant: 'destructive' });
  expect(await act(() => result.current.want())).toBe(true);
  expect(result.current.part).toBe(dialog);
});

it('fetches it in any case where the page is idle, and says nothing where that fails', async () => {
  const fetchPart = vi.fn(async () => dialog).mockRejectedValueOnce(new Error('The connection was lost.'));
  const before = currentToasts().length;
  const { result } = renderHook(() => useFetchedPart(fetchPart, { isFetchedWhenIdle: true }));
  await expect.poll(() => fetchPart.mock.calls).toHaveLength(1);
  expect([result.current.part, currentToasts().length]).toEqual([undefined, before]);
});

it('is not shown after another choice or on a closed page', async () => {
  const fetched = Promise.withResolvers<typeof dialog>();
  const { result, unmount } = renderHook(() => useFetchedPart(() => fetched.promise));
  const wishes: Promise<boolean>[] = [];
  act(() => void wishes.push(result.current.want()));
  expect(result.current.isFetching).toBe(true);
  act(() => result.current.unwant());
  expect(result.current.isFetching).toBe(false);
  act(() => void wishes.push(result.current.want()));
  unmount();
  fetched.resolve(dialog);
  expect(await Promise.all(wishes)).toEqual([false, false]);
});
