import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pasteInto } from '#tests/support/paste-into.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { cat, nell, open, startMessages, will } from './messages.test-world.tsx';
import { daysFromNow, idOf, messageOf, ok, refused, type Service } from './vault.test-world.ts';

const toNell = { name: 'Nell', relation: 'my daughter', email: 'nell@ashworth.example', status: null, openedAt: null };
const toJoss = { name: 'Joss', relation: 'grandson', email: 'joss@ashworth.example', status: null, openedAt: null };
const first = messageOf({ recipients: [toNell], position: 1 });
const second = messageOf({ id: idOf(11), title: 'The cake', recipients: [toNell], position: 4, status: 'draft' });
const shared = messageOf({
  id: idOf(12),
  title: 'The boat',
  recipients: [toNell, toJoss],
  showRecipients: true,
  position: 3,
  hasAttachment: true,
});
const sent = messageOf({
  id: idOf(13),
  title: 'The money',
  status: 'delivered',
  deliveredAt: '2026-09-10T09:00:00.000Z',
  recipients: [{ ...toJoss, openedAt: daysFromNow(-1) }],
});

const staleSignIn = refused(403, 'Confirm that it is you.', { type: 'REAUTHENTICATION_REQUIRED' });

let service: Service;
beforeEach(() => {
  service = startMessages();
  service.answers['GET /api/messages'] = ok([sent, shared, second, first]);
});
afterEach(() => {
  service.stop();
  localStorage.removeItem('everkept-hide-words');
});

const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name });
const titles = () => screen.queryAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent);
const envelopeOf = (title: string) => screen.getByRole('heading', { name: title }).closest('li') as HTMLElement;
const bodiesOf = (method: string) => service.calls.filter(({ key }) => key.startsWith(method)).map(({ body }) => body);
const toldOf = (expected: Record<string, unknown>) => waitFor(() => expect(currentToasts()[0]).toMatchObject(expected));

describe('The envelopes', () => {
  it('lie together by the people they are for', async () => {
    await open();
    const groups = screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);
    expect(groups).toEqual(['4 Messages', 'To Joss', 'To Nell and Joss', 'To Nell']);
    expect(titles()).toEqual(['The money', 'The boat', 'For Nell', 'The cake']);
    expect(screen.getByText('your daughter and your grandson, together')).toBeDefined();
  });

  it('say when they are read, and who has opened what was delivered', async () => {
    await open();
    expect(envelopeOf('For Nell').textContent).toContain('Nell reads this first');
    expect(envelopeOf('The cake').textContent).toContain('Nell reads this third, once it is ready');
    expect(envelopeOf('The money').textContent).toContain('Delivered 10 Sep 2026');
    expect(envelopeOf('The money').textContent).toContain('Opened');
  });

  it('can be sorted by day and by title', async () => {
    await open();
    await userEvent.selectOptions(screen.getByLabelText('Sort'), 'Title, A to Z');
    expect(titles()).toEqual(['For Nell', 'The boat', 'The cake', 'The money']);
    expect(screen.queryByRole('heading', { name: 'To Nell' })).toBeNull();
  });

  it('hide their words where that is wished, and remember it on this device', async () => {
    await open();
    await userEvent.click(screen.getByLabelText('Hide the words'));
    expect(screen.queryByText('The blue tin has the photographs.')).toBeNull();
    expect(titles()).toHaveLength(4);
    cleanup();
    await open();
    expect(screen.getByLabelText<HTMLInputElement>('Hide the words').checked).toBe(true);
    expect(screen.queryByText('The blue tin has the photographs.')).toBeNull();
    await userEvent.click(screen.getByLabelText('Hide the words'));
    expect(screen.getAllByText('The blue tin has the photographs.')).toHaveLength(4);
  });
});

describe('The order of the letters to one person', () => {
  const orderNell = async () => {
    await open();
    await userEvent.click(button('Change the order of the letters to Nell'));
    return within(screen.getByRole('dialog', { name: 'The order of the letters to Nell' }));
  };

  it('is changed by words, all of their letters among them, and kept with a press', async () => {
    for (const { id } of [first, shared, second]) service.answers[`PUT /api/messages/${id}`] = ok(first);
    const dialog = await orderNell();
    expect(dialog.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      expect.stringContaining('For Nell'),
      expect.stringContaining('The boatfor Joss too'),
      expect.stringContaining('The cakestill a draft'),
    ]);
    expect(button('Earlier: For Nell').disabled).toBe(true);
    await userEvent.click(button('Earlier: The cake'));
    expect(dialog.getByRole('status').textContent).toBe('The cake is now 2 of 3');
    await userEvent.click(button('Keep this order'));
    await toldOf({ title: 'Messages Updated', description: 'Nell reads them in this order.' });
    expect(bodiesOf('PUT')).toMatchObject([
      { title: 'The cake', position: 3, status: 'draft' },
      { title: 'The boat', position: 4, recipients: [{ name: 'Nell' }, { name: 'Joss' }] },
    ]);
    for (const body of bodiesOf('PUT')) expect(body).not.toHaveProperty('hasAttachment');
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('stays where nothing is kept', async () => {
    await orderNell();
    await userEvent.click(button('Later: For Nell'));
    await userEvent.click(button('Leave it as it was'));
    expect(bodiesOf('PUT')).toEqual([]);
  });

  it('is not asked of somebody with one letter', async () => {
    service.answers['GET /api/messages'] = ok([nell, will, cat]);
    await open();
    expect(screen.queryByRole('button', { name: /Change the order/ })).toBeNull();
  });
});

describe('Several letters at once', () => {
  const choose = async (...chosen: string[]) => {
    await open();
    await userEvent.click(button('Select'));
    for (const title of chosen) await userEvent.click(screen.getByRole('checkbox', { name: title }));
  };

  it('are made ready, drafts alone among them, with words that were read again', async () => {
    service.answers[`PUT /api/messages/${second.id}`] = ok(second);
    await choose('The cake', 'For Nell', 'The money');
    expect(screen.getByText('3 letters chosen')).toBeDefined();
    service.answers['GET /api/messages'] = ok([{ ...second, content: 'Two lemons, not one.' }, first]);
    await userEvent.click(button('Mark as ready'));
    await toldOf({ title: 'Message Updated', description: 'The message has been saved as ready for delivery.' });
    expect(bodiesOf('PUT')).toMatchObject([{ title: 'The cake', content: 'Two lemons, not one.', status: 'ready' }]);
    expect(screen.queryByRole('region', { name: 'Chosen letters' })).toBeNull();
  });

  it('ask once for a fresh sign-in if a reader is new, and then are made ready', async () => {
    service.answers['GET /api/messages'] = ok([second, { ...shared, status: 'draft' }]);
    for (const { id } of [second, shared]) service.answers[`PUT /api/messages/${id}`] = staleSignIn;
    service.answers['POST /api/user/reauthenticate'] = ok({ ok: true });
    await choose('The cake', 'The boat');
    await userEvent.click(button('Mark as ready'));
    await pasteInto(await screen.findByLabelText('Password'), 'a bag of limes');
    for (const { id } of [second, shared]) service.answers[`PUT /api/messages/${id}`] = ok(second);
    await userEvent.click(button('Save the changes'));
    await toldOf({ title: 'Messages Updated', description: '2 messages have been saved as ready for delivery.' });
    expect(bodiesOf('PUT')).toHaveLength(3);
  });

  it('stay as they are if the question for a fresh sign-in is closed', async () => {
    service.answers[`PUT /api/messages/${second.id}`] = staleSignIn;
    await choose('The cake');
    await userEvent.click(button('Mark as ready'));
    const question = await screen.findByRole('dialog', { name: 'Confirm that it is you' });
    await userEvent.click(within(question).getByRole('button', { name: 'Close' }));
    await toldOf({ title: 'Update Failed' });
    expect(bodiesOf('PUT')).toHaveLength(1);
    expect(screen.getByRole('region', { name: 'Chosen letters' })).toBeDefined();
  });

  it('go back to being drafts', async () => {
    for (const { id } of [first, shared]) service.answers[`PUT /api/messages/${id}`] = ok(first);
    await choose();
    await userEvent.click(button('All 4'));
    await userEvent.click(button('Back to draft'));
    await toldOf({ title: 'Messages Updated', description: '2 messages have been saved as draft.' });
    expect(bodiesOf('PUT')).toMatchObject([
      { title: 'The boat', status: 'draft' },
      { title: 'For Nell', status: 'draft' },
    ]);
  });

  it('are deleted after a question', async () => {
    for (const { id } of [first, second]) service.answers[`DELETE /api/messages/${id}`] = ok(null);
    await choose('The cake', 'For Nell');
    await userEvent.click(button('Delete'));
    expect(
      screen.getByText(
        'Are you sure you want to delete these messages? They are kept for 30 days under Recently deleted.',
      ),
    ).toBeDefined();
    expect(document.activeElement?.textContent).toBe('Keep them');
    await userEvent.click(button('Delete 2 messages'));
    await toldOf({ title: 'Messages Deleted', description: 'They are kept for 30 days under Recently deleted.' });
    expect(service.calls.filter(({ key }) => key.startsWith('DELETE'))).toHaveLength(2);
  });

  it('that could not all be deleted are counted, and stay chosen', async () => {
    service.answers[`DELETE /api/messages/${first.id}`] = ok(null);
    service.answers[`DELETE /api/messages/${second.id}`] = refused(500, 'Broken.');
    await choose('The cake', 'For Nell');
    await userEvent.click(button('Delete'));
    await userEvent.click(button('Delete 2 messages'));
    await toldOf({ title: 'Delete Failed', description: '1 of 2 messages could not be deleted. Please try again.' });
    expect(screen.getByRole('region', { name: 'Chosen letters' })).toBeDefined();
  });
});
