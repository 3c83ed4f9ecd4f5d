import { afterEach, describe, expect, it } from 'vitest';
import { claimDrafts, clearAllDrafts, clearDraft, loadDraft, saveDraft } from './draft-store.ts';

afterEach(() => localStorage.clear());

describe('a draft', () => {
  it('comes back after a reload, until it is forgotten', async () => {
    await saveDraft('contact:new', { name: 'Priya' });
    expect(await loadDraft('contact:new')).toEqual({ name: 'Priya' });
    await clearDraft('contact:new');
    expect(await loadDraft('contact:new')).toBeUndefined();
  });

  it('that is secret never lies in local storage, not even where it cannot be kept elsewhere', async () => {
    await saveDraft('message:new', { content: 'Dear Nell' }, { secret: true });
    expect(JSON.stringify(localStorage)).not.toContain('Nell');
    expect(await loadDraft('message:new', { secret: true })).toBeUndefined();
  });

  it('that an older version wrote in another form is no draft', async () => {
    localStorage.setItem('draft:contact:new', '{broken');
    expect(await loadDraft('contact:new')).toBeUndefined();
  });
});

describe('the drafts of one person', () => {
  it('are removed before another person writes in the same browser', async () => {
    await claimDrafts('sam');
    await saveDraft('contact:new', { name: 'Priya' });
    await claimDrafts('sam');
    expect(await loadDraft('contact:new')).toEqual({ name: 'Priya' });
    await claimDrafts('nell');
    expect(await loadDraft('contact:new')).toBeUndefined();
  });

  it('are all forgotten at once, and nothing else is', async () => {
    localStorage.setItem('theme', 'dark');
    await claimDrafts('sam');
    await saveDraft('a', 1);
    await saveDraft('b', 2);
    await clearAllDrafts();
    expect(Object.keys(localStorage)).toEqual(['theme']);
  });
});

describe('drafts without a known owner', () => {
  it('are removed with all others, also where local storage does not answer', async () => {
    await claimDrafts('sam');
    await saveDraft('contact:new', { name: 'Priya' });
    const { getItem } = Storage.prototype;
    Storage.prototype.getItem = () => {
      throw new Error('Storage is switched off.');
    };
    try {
      await claimDrafts('nell');
    } finally {
      Storage.prototype.getItem = getItem;
    }
    expect(await loadDraft('contact:new')).toBeUndefined();
  });

  it('wait for a visitor who then signs in, and are removed when another person does', async () => {
    await saveDraft('contact:new', { name: 'Priya' });
    await claimDrafts('sam');
    expect(await loadDraft('contact:new')).toEqual({ name: 'Priya' });
    await claimDrafts('nell');
    expect(await loadDraft('contact:new')).toBeUndefined();
  });
});
