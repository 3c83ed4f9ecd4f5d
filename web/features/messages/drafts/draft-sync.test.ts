import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { idOf, startService } from '#web/pages/pages.test-world.tsx';
import { createDraftSync, type DraftSyncOptions } from './draft-sync.ts';

const service = startService();
afterEach(() => {
  vi.useRealTimers();
  service.calls.length = 0;
});

afterAll(() => service.stop());

let letters = 100;
const newKey = () => {
  letters += 1;
  return idOf(letters);
};
const syncOf = (key: string, content: () => string) => {
  service.answers[`GET /api/drafts?key=${key}`] = { status: 200, body: [] };
  service.answers[`PUT /api/drafts/${key}`] = {
    status: 200,
    body: { key, version: 1, updatedAt: '2026-11-20T09:00:00.000Z' },
  };
  service.answers[`DELETE /api/drafts/${key}`] = { status: 200, body: null };
  const none = () => undefined;
  const told: Omit<DraftSyncOptions, 'key' | 'current'> = { onKept: none, onTake: none, onDrop: none, onAsk: none };
  return createDraftSync({ key, current: content, ...told });
};

it('sends nothing more once it is stopped, and what another one withdraws comes after whatever was under way', async () => {
  const key = newKey();
  let content = 'Dear Nell';
  const typed = syncOf(key, () => content);
  await typed.open();
  await expect.poll(() => service.count(`PUT /api/drafts/${key}`)).toBe(1);
  content = 'Dear Nell, canary';
  typed.changed();
  typed.stop();
  syncOf(key, () => content).withdraw();
  typed.leave();
  await expect.poll(() => service.count(`DELETE /api/drafts/${key}`)).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(JSON.stringify(service.calls)).not.toContain('canary');
});

it('sends what waits at once when the page is left', async () => {
  const key = newKey();
  let content = 'Dear Nell';
  const typed = syncOf(key, () => content);
  await typed.open();
  content = 'Dear Nell, and';
  typed.changed();
  typed.leave();
  await expect.poll(() => service.count(`PUT /api/drafts/${key}`)).toBe(1);
  expect(JSON.stringify(service.calls)).toContain('Dear Nell, and');
});

it('delays words typed before the first answer of the vault, so that a passphrase comes first', async () => {
  const key = newKey();
  const typed = syncOf(key, () => 'Dear Nell, canary');
  await typed.open();
  typed.withdraw();
  await expect.poll(() => service.count(`DELETE /api/drafts/${key}`)).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(JSON.stringify(service.calls)).not.toContain('canary');
});
