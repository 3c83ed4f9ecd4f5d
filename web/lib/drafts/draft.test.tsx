import { act, renderHook, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Device, startDevice } from '#web/pages/account/device.test-world.ts';
import { useDraft } from './draft.ts';
import { clearAllDrafts, loadDraft } from './draft-store.ts';

let device: Device;
beforeEach(() => {
  device = startDevice();
});
afterEach(() => device.remove());

const secret = { secret: true };

async function begin(name = 'message:new') {
  const hook = renderHook(() => useDraft(name, '', secret));
  await waitFor(() => expect(hook.result.current.isLoaded).toBe(true));
  const type = (words: string) => act(() => hook.result.current.setValue(words));
  return { ...hook, type, draft: () => hook.result.current };
}

/** A store whose writes wait until they are released or fail. */
function slowDisk() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  device.writeAfter(promise);
  return { finish: resolve, fail: () => reject(new Error('The disk is full.')) };
}

const moment = () => act(() => new Promise((resolve) => setTimeout(resolve, 20)));

describe('a draft', () => {
  it('is said to be kept once it lies on the disk, and not before', async () => {
    const { type, draft } = await begin();
    const disk = slowDisk();
    type('Look after the boat.');
    await moment();
    expect(draft().keptAtMs).toBeUndefined();
    disk.finish();
    await waitFor(() => expect(draft().keptAtMs).toBeDefined());
    expect(await loadDraft('message:new', secret)).toBe('Look after the boat.');
  });

  it('is not said to be kept where the newest words could not be', async () => {
    const { type, draft } = await begin();
    type('Look after');
    await waitFor(() => expect(draft().keptAtMs).toBeDefined());
    const disk = slowDisk();
    type('Look after the boat.');
    await moment();
    disk.fail();
    await waitFor(() => expect(draft().keptAtMs).toBeUndefined());
  });

  it('is written down with the key that was pressed, whatever happens to the page then', async () => {
    const { type, unmount } = await begin();
    for (const words of ['L', 'Lo', 'Look']) type(words);
    unmount();
    await waitFor(async () => expect(await loadDraft('message:new', secret)).toBe('Look'));
  });

  it('that is forgotten while it is being written does not come back', async () => {
    const { type, draft } = await begin();
    const disk = slowDisk();
    type('Look after the boat.');
    await moment();
    act(() => draft().clear());
    disk.finish();
    await moment();
    expect(await loadDraft('message:new', secret)).toBeUndefined();
    expect(draft().keptAtMs).toBeUndefined();
  });

  it('that is being written while all are forgotten does not come back', async () => {
    const { type } = await begin();
    for (const words of ['L', 'Lo', 'Look']) type(words);
    await clearAllDrafts();
    await moment();
    expect(device.text()).toBe('[]');
  });
});
