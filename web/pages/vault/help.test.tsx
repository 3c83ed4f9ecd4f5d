import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pasteInto } from '#tests/support/paste-into.ts';
import { checklists } from '#web/content/checklists.ts';
import { startUploads, type Uploads } from '#web/lib/api/upload.test-world.ts';
import { clearAllDrafts } from '#web/lib/drafts/draft-store.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { type Device, startDevice } from '#web/pages/account/device.test-world.ts';
import { HelpPage } from './help.tsx';
import { ok, openPage, type Service, sam, startVault } from './vault.test-world.ts';

let service: Service;
let uploads: Uploads;
let device: Device;
beforeEach(() => {
  service = startVault();
  uploads = startUploads();
  device = startDevice();
  localStorage.clear();
  location.hash = '';
  service.answers['GET /api/user/checklists'] = ok([]);
  grant(true);
});
afterEach(async () => {
  cleanup();
  await clearAllDrafts();
  service.stop();
  uploads.stop();
  device.remove();
  location.hash = '';
});

function grant(hasAccess: boolean) {
  for (const feature of ['checklists', 'templates', 'documentVault', 'premiumTemplates']) {
    service.answers[`GET /api/user/feature-access/${feature}`] = ok({ hasAccess });
  }
}
function signOut() {
  service.answers['GET /api/auth/user'] = { status: 401, body: { message: 'Please sign in', type: 'UNAUTHENTICATED' } };
}
async function open(hash = '') {
  location.hash = hash;
  openPage(HelpPage, { route: '/help', at: '/help' });
  await screen.findByRole('tablist');
}
const tab = (name: string | RegExp) => screen.getByRole('tab', { name });
const selected = () => screen.getByRole('tab', { selected: true }).textContent;
const tick = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name });
const list = (name: string) => screen.getByRole('region', { name });
const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name });
const pension = 'List your pensions, and fill in a nomination form for each';
const putFunds = 'PUT /api/user/checklists/financial';
const kept = (more: object) => ({
  checklistId: 'financial',
  customItems: [],
  completedItems: [],
  resetAtMs: 0,
  updatedAt: '2026-11-20T10:00:00.000Z',
  ...more,
});

describe('The tabs', () => {
  it('begin with the checklists for an owner who has them', async () => {
    await open();
    expect(selected()).toBe('Checklists');
    expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual([
      'Checklists',
      'Templates',
      'Guidance',
    ]);
    expect(screen.getByRole('link', { name: 'FAQs' }).getAttribute('href')).toBe('/faq');
  });

  it('begin with guidance for an owner who has not, and say so on both others', async () => {
    grant(false);
    await open();
    expect(selected()).toBe('Guidance');
    expect(tab('Checklists Upgrade')).toBeDefined();
    expect(tab('Templates Upgrade')).toBeDefined();
  });

  it('ask nothing of the service for a visitor, who is led to the sign-in', async () => {
    signOut();
    await open();
    expect(selected()).toBe('Guidance');
    expect(service.calls.filter(({ key }) => key.includes('feature-access'))).toEqual([]);
    await userEvent.click(tab(/^Checklists/));
    const link = await screen.findByRole('link', { name: 'Login to upgrade' });
    expect(link.getAttribute('href')).toBe('/login');
    expect(tick(pension).disabled).toBe(true);
  });

  it('are chosen with the arrows', async () => {
    await open();
    tab('Checklists').focus();
    await userEvent.keyboard('{ArrowRight}');
    await waitFor(() => expect(selected()).toBe('Templates'));
    expect(document.activeElement).toBe(tab('Templates'));
    await userEvent.keyboard('{End}');
    await waitFor(() => expect(selected()).toBe('Guidance'));
  });
});

describe('All lists together', () => {
  it('have one ring with a tick for each thing, and name the next one', async () => {
    await open();
    const onward = () => screen.getByRole('region', { name: /^Next: / });
    await screen.findByRole('checkbox', { name: pension });
    expect(onward().textContent).toMatch(/^0 of 60Next: /);
    expect(onward().querySelectorAll('.ring line')).toHaveLength(60);
    const first = onward().querySelector('h3')?.textContent;
    service.answers[putFunds] = ok(kept({}));
    await userEvent.click(tick((first ?? '').replace('Next: ', '')));
    await waitFor(() => expect(onward().textContent).toMatch(/^1 of 60/));
    expect(onward().querySelector('h3')?.textContent).not.toBe(first);
    expect(onward().querySelectorAll('.ring .y')).toHaveLength(1);
  });

  it('stand with one of them open, the one that is next, and the browser closes it for another', async () => {
    await open();
    await screen.findByRole('checkbox', { name: pension });
    const lists = [...document.querySelectorAll<HTMLDetailsElement>('details[name="checklists"]')];
    expect(lists.map(({ open: isOpen }) => isOpen)).toEqual([true, false, false, false, false]);
    expect(lists[0]?.querySelector('summary')?.textContent).toContain('Financial');
  });
});

describe('A checklist', () => {
  it('is ticked, and the tick stays in the browser and goes to the account', async () => {
    service.answers[putFunds] = ok(kept({ completedItems: [{ text: pension, isCompleted: true, changedAtMs: 5 }] }));
    await open();
    await userEvent.click(await screen.findByRole('checkbox', { name: pension }));
    expect(tick(pension).checked).toBe(true);
    expect(list('Financial').textContent).toContain('1 of 12 done');
    await waitFor(() => expect(service.count(putFunds)).toBe(1));
    expect(service.calls.find(({ key }) => key === putFunds)?.body).toMatchObject({
      completedItems: [{ text: pension, isCompleted: true }],
    });
    await waitFor(() => expect(localStorage.getItem('draft:checklists')).toContain(pension));
    await act(() => new Promise((resolve) => setTimeout(resolve, 1_000)));
    expect(service.count(putFunds)).toBe(1);
  });

  it('shows what another device did, and keeps what this one did', async () => {
    const mine = { ...kept({ completedItems: [{ text: pension, isCompleted: true, changedAtMs: 5 }] }) };
    localStorage.setItem('draft:checklists', JSON.stringify({ financial: mine }));
    const theirs = [{ text: 'Sell the boat', isListed: true, changedAtMs: 7 }];
    service.answers['GET /api/user/checklists'] = ok([kept({ customItems: theirs })]);
    service.answers[putFunds] = ok(kept({ customItems: theirs, completedItems: mine.completedItems }));
    await open();
    await screen.findByRole('checkbox', { name: 'Sell the boat' });
    expect(tick(pension).checked).toBe(true);
    await waitFor(() => expect(service.count(putFunds)).toBe(1));
  });

  it('says that the copy in the account was damaged, also once the one of this browser has taken its place', async () => {
    const mine = { ...kept({ completedItems: [{ text: pension, isCompleted: true, changedAtMs: 5 }] }) };
    localStorage.setItem('draft:checklists', JSON.stringify({ financial: mine }));
    service.answers['GET /api/user/checklists'] = ok([kept({ isDamaged: true })]);
    const customItems = [{ text: 'Sell the boat', isListed: true, changedAtMs: 7 }];
    service.answers[putFunds] = ok(kept({ completedItems: mine.completedItems, customItems }));
    await open();
    await waitFor(() => expect(list('Financial').textContent).toContain('The data stored here is damaged'));
    expect(tick(pension).checked).toBe(true);
    await screen.findByRole('checkbox', { name: 'Sell the boat' });
    expect(screen.getAllByText(/The data stored here is damaged/)).toHaveLength(1);
  });

  it('says when the account could not be reached, and tries again', async () => {
    service.answers[putFunds] = 'unreachable';
    await open();
    await userEvent.click(await screen.findByRole('checkbox', { name: pension }));
    await screen.findByText(/could not save your checklists/);
    expect(tick(pension).checked).toBe(true);
    service.answers[putFunds] = ok(kept({ completedItems: [{ text: pension, isCompleted: true, changedAtMs: 5 }] }));
    await userEvent.click(button('Try again'));
    await waitFor(() => expect(screen.queryByText(/could not save your checklists/)).toBeNull());
  });

  it('is customized: items are added with Enter, deleted, and reset', async () => {
    service.answers['GET /api/auth/user'] = ok({ ...sam, emailVerified: false });
    await open();
    await userEvent.click(await screen.findByRole('button', { name: 'Customize Financial' }));
    const field = screen.getByLabelText('Add an item');
    await userEvent.type(field, '   {Enter}');
    expect(within(list('Financial')).getAllByRole('checkbox')).toHaveLength(12);
    await userEvent.type(field, ' Sell the boat {Enter}');
    await userEvent.click(tick('Sell the boat'));
    await userEvent.click(button(`Delete: ${pension}`));
    expect(screen.queryByRole('checkbox', { name: pension })).toBeNull();
    expect(list('Financial').textContent).toContain('1 of 12 done');

    await userEvent.click(button('Reset to the usual items: Financial'));
    await userEvent.click(within(screen.getByRole('alertdialog')).getByText('Reset the list'));
    expect(screen.queryByRole('checkbox', { name: 'Sell the boat' })).toBeNull();
    expect(tick(pension).checked).toBe(false);
    expect(list('Financial').textContent).toContain('0 of 12 done');
    await userEvent.click(button('Done with Financial'));
    expect(screen.queryByLabelText('Add an item')).toBeNull();
    expect(service.calls.filter(({ key }) => key.startsWith('PUT'))).toEqual([]);
  });

  it('can be read without access, and leads to the plans', async () => {
    grant(false);
    await open('checklists');
    expect((await screen.findByRole('link', { name: 'Upgrade Your Plan' })).getAttribute('href')).toBe('/account');
    expect(screen.getAllByRole<HTMLInputElement>('checkbox').every(({ disabled }) => disabled)).toBe(true);
    expect(screen.getAllByRole('checkbox')).toHaveLength(checklists.flatMap(({ items }) => items).length);
    expect(screen.queryByRole('button', { name: /Customize/ })).toBeNull();
  });
});

describe('A template', () => {
  const preview = () => screen.getByRole('region', { name: 'Preview' }).textContent ?? '';
  const toldOf = (expected: object) => waitFor(() => expect(currentToasts()[0]).toMatchObject(expected));
  async function fill() {
    await open('basic-will-template');
    await pasteInto(await screen.findByLabelText('Your full name'), 'Sam Ashworth');
  }

  it('is filled in: one field for a placeholder, the rest stays in brackets, and 500 characters are shown', async () => {
    await fill();
    expect(preview()).toContain('LAST WILL OF Sam Ashworth');
    expect(preview()).toContain('I, Sam Ashworth, of [Your address]');
    expect([...preview()]).toHaveLength(500);
  });

  it('is printed whole, with its headings', async () => {
    await fill();
    const paper = document.querySelector('.paper') as HTMLElement;
    const headings = [...paper.querySelectorAll('h3')].map(({ textContent }) => textContent);
    expect(headings).toContain('LAST WILL OF Sam Ashworth');
    expect(headings).toContain('SECOND WITNESS');
    expect(paper.textContent).toContain('Do not staple');
  });

  it('is kept while it is typed, and is unreadable in the storage', async () => {
    await fill();
    await waitFor(() => expect(device.text()).toContain('ciphertext'));
    expect(device.text() + JSON.stringify({ ...localStorage })).not.toContain('Ashworth');
  });

  it('is saved to the vault as a text of the category legal', async () => {
    service.answers['GET /api/documents'] = ok([]);
    await fill();
    await userEvent.click(button('Save to the vault'));
    await waitFor(() => expect(uploads.begun).toHaveLength(1));
    const sent = uploads.last();
    expect([sent.key, sent.fields, sent.file.name, sent.file.type]).toEqual([
      'POST /api/documents',
      { category: 'legal' },
      'basic-will-template.txt',
      'text/plain',
    ]);
    expect(sent.file.size).toBeGreaterThan(2_000);
    act(() => sent.answer(201, { id: '1', name: 'Basic will' }));
    await toldOf({ title: 'Template Saved' });
  });

  it.each([
    [
      401,
      { message: 'Please sign in', type: 'UNAUTHENTICATED' },
      'Authentication Required',
      'Please log in to save templates.',
    ],
    [
      403,
      { message: 'Full', type: 'STORAGE_LIMIT_EXCEEDED' },
      'Storage Limit Exceeded',
      'Upgrade your plan to save more documents.',
    ],
    [500, { message: 'It broke', type: 'INTERNAL' }, 'Save Failed', 'Could not save template: It broke'],
  ])('says why it was not saved: %i', async (status, body, title, description) => {
    await fill();
    await userEvent.click(button('Save to the vault'));
    await waitFor(() => expect(uploads.begun).toHaveLength(1));
    act(() => uploads.last().answer(status, body));
    await toldOf({ title, description, variant: 'destructive' });
    expect(screen.getByLabelText<HTMLInputElement>('Your full name').value).toBe('Sam Ashworth');
  });

  it('is not sent where the plan has no vault', async () => {
    service.answers['GET /api/user/feature-access/documentVault'] = ok({ hasAccess: false });
    await fill();
    await userEvent.click(button('Save to the vault'));
    await toldOf({
      title: 'Upgrade Required',
      description: 'Document vault is available with Essential plan and above. Upgrade to save completed templates.',
    });
    expect(uploads.begun).toEqual([]);
  });

  it('can be looked at without access, and not filled in', async () => {
    grant(false);
    await open('basic-will-template');
    expect(await screen.findByText('Basic Will Template')).toBeDefined();
    expect(screen.queryByRole('textbox')).toBeNull();
    expect(screen.queryByRole('link', { name: /Fill Online/ })).toBeNull();
    expect(screen.getByRole('link', { name: 'Upgrade Your Plan' })).toBeDefined();
  });

  it('premium templates are filled in like any other', async () => {
    await open('funeral-wishes-template');
    await pasteInto(await screen.findByLabelText('Your full name'), 'Sam Ashworth');
    expect(preview()).toContain('FUNERAL WISHES OF Sam Ashworth');
  });

  it('premium templates can be looked at on Essential, with the way to a larger plan, and not filled in', async () => {
    service.answers['GET /api/user/feature-access/premiumTemplates'] = ok({ hasAccess: false });
    await open('funeral-wishes-template');
    expect(await screen.findByRole('heading', { name: 'Funeral Wishes' })).toBeDefined();
    expect(screen.queryByRole('textbox')).toBeNull();
    expect(screen.getAllByText('Starts with Premium')).toHaveLength(4);
    expect(screen.getAllByRole('link', { name: /^Fill Online/ })).toHaveLength(3);
    expect(screen.getByText('These come with the Premium and Lifetime plans.')).toBeDefined();
    expect(screen.getByRole('link', { name: 'Upgrade Your Plan' })).toBeDefined();
  });
});

describe('The guidance', () => {
  it('opens a guide, says for whom and when it was checked, and follows the nation', async () => {
    await open('guidance');
    await userEvent.click(screen.getByRole('link', { name: 'Tell Us Once' }));
    const heading = await screen.findByRole('heading', { name: 'Tell Us Once', level: 3 });
    expect(document.activeElement).toBe(heading);
    const guide = () => screen.getByRole('article').textContent ?? '';
    expect(guide()).toContain('For England. Last gone through on 22 November 2026.');
    expect(guide()).toContain('28 days');
    const source = screen.getByRole('link', { name: 'GOV.UK: Tell Us Once' });
    expect(source.getAttribute('href')).toMatch(/^https:\/\/www\.gov\.uk\//);
    expect(source.closest('li')?.textContent).toContain('compared with an earlier copy of its words');
    await userEvent.click(button('Northern Ireland'));
    expect(guide()).toContain('does not work in Northern Ireland');
    expect(guide()).not.toContain('28 days');
    await waitFor(() => expect(localStorage.getItem('draft:nation')).toContain('northern-ireland'));
  });

  it('remembers the nation', async () => {
    localStorage.setItem('draft:nation', '"scotland"');
    await open('wills');
    await waitFor(() => expect(screen.getByRole('article').textContent).toContain('sign every page'));
    expect(button('Scotland').getAttribute('aria-pressed')).toBe('true');
  });
});
