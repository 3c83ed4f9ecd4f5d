import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pasteInto } from '#tests/support/paste-into.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { cat, nell, open, startMessages, will } from './messages.test-world.tsx';
import { daysFromNow, holdAnswers, idOf, messageOf, ok, refused, type Service } from './vault.test-world.ts';

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

  it('show their reading order, and who has opened a delivered letter', async () => {
    await open();
    expect(envelopeOf('For Nell').textContent).toContain('Nell reads this first');
    expect(envelopeOf('The cake').textContent).toContain('Nell reads this third, once it is ready');
    expect(envelopeOf('The money').textContent).toContain('Delivered 10 Sep 2026');
    expect(envelopeOf('The money').textContent).toContain('Opened');
  });

  it('can be sorted by day and by title', async () => {
    await open();
    await userEvent.selectOptions(screen.getByLabelText('Sort'), 'Title, A to Z');
    await waitFor(() => expect(titles()).toEqual(['For Nell', 'The boat', 'The cake', 'The money']));
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
    expect((await dialog.findAllByRole('listitem')).map(({ textContent }) => textContent)).toEqual([
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
    await userEvent.click(await screen.findByRole('button', { name: 'Later: For Nell' }));
    await userEvent.click(button('Leave it as it was'));
    expect(bodiesOf('PUT')).toEqual([]);
  });

  it('is not offered for a reader with one letter', async () => {
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

  it('are made ready, drafts alone among them, each with the version that the page shows', async () => {
    service.answers[`PUT /api/messages/${second.id}`] = ok(second);
    await choose('The cake', 'For Nell', 'The money');
    expect(screen.getByText('3 letters chosen')).toBeDefined();
    await userEvent.click(button('Mark as ready'));
    await toldOf({ title: 'Message Updated', description: 'The message has been saved as ready for delivery.' });
    expect(bodiesOf('PUT')).toMatchObject([{ title: 'The cake', status: 'ready', version: second.version }]);
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
    expect(service.calls.filter(({ key }) => key.startsWith('DELETE'))).toEqual(
      [first, second].map(({ id, version }) => ({ key: `DELETE /api/messages/${id}`, body: undefined, version })),
    );
  });

  it('that were changed elsewhere meanwhile stay as they are, and are named', async () => {
    const elsewhere = { stored: { ...second, content: 'Two lemons, not one.' }, type: 'CHANGED_ELSEWHERE' as const };
    service.answers[`DELETE /api/messages/${first.id}`] = ok(null);
    service.answers[`DELETE /api/messages/${second.id}`] = refused(409, 'Changed elsewhere.', elsewhere);
    await choose('The cake', 'For Nell');
    await userEvent.click(button('Delete'));
    await userEvent.click(button('Delete 2 messages'));
    const alert = await screen.findByText(/Changed elsewhere meanwhile/);
    expect(alert.textContent).toBe(
      'Changed elsewhere meanwhile, so left as it is: “The cake”. Read it first, then try again.',
    );
    expect(screen.getByRole('region', { name: 'Chosen letters' })).toBeDefined();
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

describe('More letters than a page holds', () => {
  const many = Array.from({ length: 120 }, (_, index) =>
    messageOf({ id: idOf(200 + index), title: `Letter ${index + 1}`, position: index + 1, recipients: [toNell] }),
  );
  beforeEach(() => {
    service.answers['GET /api/messages'] = ok(many);
  });

  it('come fifty at a time under one heading, and are all counted', async () => {
    await open();
    expect(screen.getByRole('heading', { name: '120 Messages' })).toBeDefined();
    expect(titles()).toHaveLength(50);
    expect(screen.getByText('50 of 120 shown')).toBeDefined();
    await userEvent.click(button('Show more'));
    await screen.findByText('100 of 120 shown');
    expect(document.activeElement?.textContent).toBe('Letter 51');
    await userEvent.click(button('Show more'));
    await waitFor(() => expect(titles()).toEqual(many.map(({ title }) => title)));
    expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
    expect(document.activeElement?.textContent).toBe('Letter 101');
    expect(screen.getAllByRole('heading', { name: 'To Nell' })).toHaveLength(1);
    expect(envelopeOf('Letter 120').textContent).toContain('Nell reads this as number 120');
  });

  it('say so if further ones can’t be loaded, and try again', async () => {
    await open();
    service.answers['GET /api/messages/envelopes?from=50'] = refused(400, 'Broken.');
    await userEvent.click(button('Show more'));
    const retry = await screen.findByRole('button', { name: 'Try again' });
    expect(screen.getByText(/^We could not load more messages\. 50 of 120 shown$/)).toBeDefined();
    delete service.answers['GET /api/messages/envelopes?from=50'];
    await userEvent.click(retry);
    await screen.findByText('100 of 120 shown');
    expect(document.activeElement?.textContent).toBe('Letter 51');
  });

  it('are all shown if one was deleted elsewhere between two pages', async () => {
    await open();
    service.answers['GET /api/messages'] = ok(many.toSpliced(10, 1));
    await userEvent.click(button('Show more'));
    await screen.findByText('100 of 119 shown');
    await userEvent.click(button('Show more'));
    await waitFor(() => expect(titles()).toEqual(many.toSpliced(10, 1).map(({ title }) => title)));
  });

  it('are shown once if one was written elsewhere between two pages', async () => {
    await open();
    const added = messageOf({ id: idOf(400), title: 'Letter 0', position: 0, recipients: [toNell] });
    service.answers['GET /api/messages'] = ok([added, ...many]);
    await userEvent.click(button('Show more'));
    await screen.findByText('100 of 121 shown');
    expect(titles()).toEqual(['Letter 0', ...many.slice(0, 99).map(({ title }) => title)]);
  });

  it('are chosen as far as they are shown', async () => {
    await open();
    await userEvent.click(button('Select'));
    await userEvent.click(button('All 50 shown'));
    expect(screen.getByText('50 letters chosen')).toBeDefined();
  });

  it('are found wherever they stand', async () => {
    await open();
    await pasteInto(screen.getByPlaceholderText('Search messages...'), 'letter 117');
    await waitFor(() => expect(titles()).toEqual(['Letter 117']));
    expect(screen.getByRole('heading', { name: '1 Message' })).toBeDefined();
    const asked = service.calls.filter(({ key }) => key.includes('117') || key.includes('search'));
    expect(asked.map(({ key, body }) => [key, body])).toEqual([
      ['POST /api/messages/search', { words: 'letter 117', category: 'all', sort: 'person', from: 0 }],
    ]);
  });

  it('are all offered in the order of their reader', async () => {
    await open();
    await userEvent.click(button('Change the order of the letters to Nell'));
    const dialog = within(screen.getByRole('dialog', { name: 'The order of the letters to Nell' }));
    expect(await dialog.findAllByRole('listitem')).toHaveLength(120);
  });

  it('are put in order up to 200, and the dialog says so', async () => {
    const more = Array.from({ length: 230 }, (_, index) =>
      messageOf({ id: idOf(500 + index), title: `Letter ${index + 1}`, position: index + 1, recipients: [toNell] }),
    );
    service.answers['GET /api/messages'] = ok(more);
    await open();
    await userEvent.click(button('Change the order of the letters to Nell'));
    const dialog = within(screen.getByRole('dialog', { name: 'The order of the letters to Nell' }));
    expect(await dialog.findAllByRole('listitem')).toHaveLength(200);
    expect(dialog.getByText(/These are the first 200 of 230\.$/)).toBeDefined();
  });
});

describe('A letter that is opened', () => {
  it('is read then, as it is stored', async () => {
    await open();
    expect(service.count(`GET /api/messages/${first.id}`)).toBe(0);
    const stored = { ...first, content: 'The tin has moved to the shed.' };
    service.answers[`GET /api/messages/${first.id}`] = ok(stored);
    await userEvent.click(button('Edit For Nell'));
    expect(await screen.findByDisplayValue('The tin has moved to the shed.')).toBeDefined();
  });

  it('that was deleted elsewhere is not opened: a notice says so, and the list is read again', async () => {
    await open();
    service.answers[`GET /api/messages/${first.id}`] = refused(404, 'Not found.', { type: 'NOT_FOUND' });
    service.answers['GET /api/messages'] = ok([sent, shared, second]);
    await userEvent.click(button('Edit For Nell'));
    await toldOf({ title: 'Letter not opened', description: 'This letter is no longer in your vault.' });
    expect(screen.queryByRole('dialog')).toBeNull();
    await screen.findByRole('heading', { name: '3 Messages' });
  });

  it('that could not be fetched is opened by the notice’s second try', async () => {
    await open();
    service.answers[`GET /api/messages/${first.id}`] = 'unreachable';
    await userEvent.click(button('Edit For Nell'));
    await toldOf({ title: 'Letter not opened', description: 'The connection failed. The letter is safe.' });
    delete service.answers[`GET /api/messages/${first.id}`];
    const action = currentToasts()[0]?.action;
    expect(action?.label).toBe('Try again');
    action?.run();
    expect(await screen.findByRole('dialog', { name: 'Edit message' })).toBeDefined();
  });

  it('is announced while it is read', async () => {
    await open();
    const answer = holdAnswers();
    await userEvent.click(button('Edit For Nell'));
    expect(envelopeOf('For Nell').getAttribute('aria-busy')).toBe('true');
    expect(screen.getByText('Opening the letter').getAttribute('role')).toBe('status');
    answer();
    await screen.findByRole('dialog', { name: 'Edit message' });
    expect(envelopeOf('For Nell').getAttribute('aria-busy')).toBe('false');
  });

  it('that arrives late takes no words from a letter that is being written', async () => {
    await open();
    const answer = holdAnswers();
    await userEvent.click(button('Edit For Nell'));
    await userEvent.click(button('Create Message'));
    await pasteInto(screen.getByLabelText('Message Title *'), 'A new one');
    answer();
    await waitFor(() => expect(service.count(`GET /api/messages/${first.id}`)).toBe(1));
    await waitFor(() => expect(screen.queryByText('Opening the letter')).toBeNull());
    expect(screen.getByRole('dialog', { name: 'New message' })).toBeDefined();
    expect(screen.getByLabelText<HTMLInputElement>('Message Title *').value).toBe('A new one');
  });

  it('asks who is signed in if the session has ended', async () => {
    await open();
    service.answers[`GET /api/messages/${first.id}`] = refused(401, 'Sign in.');
    await userEvent.click(button('Edit For Nell'));
    await waitFor(() => expect(service.count('GET /api/auth/user')).toBeGreaterThan(0));
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('asks who is signed in if the session has ended during a search', async () => {
    await open();
    service.answers['POST /api/messages/search'] = refused(401, 'Sign in.');
    await pasteInto(screen.getByPlaceholderText('Search messages...'), 'cake');
    await waitFor(() => expect(service.count('GET /api/auth/user')).toBeGreaterThan(0));
  });
});
