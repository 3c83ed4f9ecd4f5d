import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Document as VaultDocument } from '#shared/contract/documents.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { ContactsPage } from './contacts.tsx';
import { DocumentsPage } from './documents.tsx';
import { nell, open as openLetters, startMessages } from './messages.test-world.tsx';
import { contactOf, daysFromNow, idOf, ok, openPage, refused, type Service } from './vault.test-world.ts';

const priya = contactOf();
const will: VaultDocument = {
  id: idOf(30),
  name: 'The will',
  category: 'legal',
  description: 'The original is with the solicitor.',
  fileName: 'will.pdf',
  fileSize: 2_400,
  mimeType: 'application/pdf',
  visibleToTrustedContact: true,
  createdAt: daysFromNow(-3),
  updatedAt: daysFromNow(-3),
  version: idOf(92),
};
const unsure = 'We can’t tell whether this was saved. Your words are still here.';

let service: Service;
beforeEach(() => {
  service = startMessages();
  service.answers['GET /api/trusted-contacts'] = ok([priya]);
  service.answers['GET /api/documents'] = ok([will]);
});
afterEach(() => service.stop());

const button = (name: string | RegExp) => screen.getByRole('button', { name });
const changedTo = (stored: object) =>
  refused(409, 'Changed elsewhere. Nothing was overwritten.', { type: 'CHANGED_ELSEWHERE', stored });
const lastBody = (key: string) => service.calls.findLast((made) => made.key === key)?.body;
const expectToast = (title: string) => waitFor(() => expect(currentToasts()[0]?.title).toBe(title));

/** Opens each kind of form, types one text, and names its fields and its button. */
const kinds = [
  {
    kind: 'letter',
    put: `PUT /api/messages/${nell.id}`,
    stored: { ...nell, content: 'The tin is red.', version: idOf(93) },
    text: 'The tin is red.',
    label: 'Message Content *',
    save: 'Save as Draft',
    done: 'Message Updated',
    open: async () => {
      await openLetters();
      const item = screen.getByText('For Nell').closest('li') as HTMLElement;
      await userEvent.click(within(item).getByRole('button', { name: /Edit/ }));
    },
    item: nell,
  },
  {
    kind: 'document',
    put: `PUT /api/documents/${will.id}`,
    stored: { ...will, description: 'It is in the safe.', version: idOf(93) },
    text: 'It is in the safe.',
    label: 'Description',
    save: 'Save the changes',
    done: 'Document Updated',
    open: async () => {
      openPage(DocumentsPage, { route: '/documents', at: '/documents' });
      await userEvent.click(await screen.findByRole('button', { name: 'Edit The will' }));
      await screen.findByRole('button', { name: 'Save the changes' });
    },
    item: will,
  },
  {
    kind: 'contact',
    put: `PUT /api/trusted-contacts/${priya.id}`,
    stored: { ...priya, relationship: 'Neighbour', version: idOf(93) },
    text: 'Neighbour',
    label: 'Relationship',
    save: 'Save the changes',
    done: 'Contact Updated',
    open: async () => {
      openPage(ContactsPage, { route: '/contacts', at: '/contacts' });
      await userEvent.click(await screen.findByRole('button', { name: 'Edit Priya Shah' }));
      await screen.findByRole('button', { name: 'Save the changes' });
    },
    item: priya,
  },
] as const;

describe.each(kinds)('A $kind that was changed elsewhere', ({ put, stored, text, label, save, done, open, item }) => {
  const field = () => screen.getByLabelText<HTMLInputElement>(label);
  const change = async () => {
    service.answers[put] = changedTo(stored);
    await open();
    await userEvent.clear(field());
    await userEvent.type(field(), 'My own words');
    await userEvent.click(button(save));
    return screen.findByRole('heading', { name: /was changed in another window or on another device/ });
  };

  it('is shown beside the words of this window, and saves on top of it once its writer has chosen', async () => {
    const heading = await change();
    expect(document.activeElement).toBe(heading);
    expect(lastBody(put)).toMatchObject({ version: item.version });
    expect(screen.getByText(text)).toBeDefined();
    expect(screen.getAllByText('My own words').length).toBeGreaterThan(0);
    await userEvent.click(button('Go on with this one, in this window, not saved yet'));
    expect(field().value).toBe('My own words');
    expect(screen.queryByText(/Nothing was overwritten/)).toBeNull();
    service.answers[put] = ok({ ...stored, version: idOf(94) });
    await userEvent.click(button(save));
    await expectToast(done);
    expect(lastBody(put)).toMatchObject({ version: stored.version });
  });

  it('takes the place of the words in this window if its writer chooses it', async () => {
    await change();
    await userEvent.click(button(/^Go on with this one, saved elsewhere/));
    await waitFor(() => expect(field().value).toBe(text));
    await userEvent.type(field(), ' And more.');
    service.answers[put] = ok({ ...stored, version: idOf(94) });
    await userEvent.click(button(save));
    await expectToast(done);
    expect(lastBody(put)).toMatchObject({ version: stored.version });
  });

  it('keeps every word if a proxy answers in place of the service', async () => {
    service.answers[put] = { status: 200, body: { status: 'ok' } };
    await open();
    await userEvent.clear(field());
    await userEvent.type(field(), 'My own words');
    await userEvent.click(button(save));
    expect(await screen.findByText(unsure, { exact: false, selector: '.banner *' })).toBeDefined();
    expect(field().value).toBe('My own words');

    // The first try is sent again. Words typed since then are made from its version.
    await userEvent.type(field(), ' And more.');
    service.answers[put] = ok(stored);
    await userEvent.click(button(save));
    await expectToast(done);
    const bodies = service.calls.filter(({ key }) => key === put).map(({ body }) => body);
    expect(bodies).toMatchObject([item, item, { version: expect.any(String) }].map(({ version }) => ({ version })));
    expect(bodies[2]).not.toMatchObject({ version: item.version });
  });
});

describe('An item that is deleted', () => {
  it('names the version that the page shows', async () => {
    service.answers[`DELETE /api/trusted-contacts/${priya.id}`] = ok(null);
    openPage(ContactsPage, { route: '/contacts', at: '/contacts' });
    await userEvent.click(await screen.findByRole('button', { name: 'Delete Priya Shah' }));
    await userEvent.click(button('Delete the contact'));
    await expectToast('Contact Deleted');
    expect(service.calls.find(({ key }) => key.startsWith('DELETE'))?.version).toBe(priya.version);
  });

  it('stays if it was changed elsewhere, and the page says so', async () => {
    service.answers[`DELETE /api/trusted-contacts/${priya.id}`] = changedTo({ ...priya, version: idOf(93) });
    openPage(ContactsPage, { route: '/contacts', at: '/contacts' });
    await userEvent.click(await screen.findByRole('button', { name: 'Delete Priya Shah' }));
    await userEvent.click(button('Delete the contact'));
    await waitFor(() =>
      expect(currentToasts()[0]).toMatchObject({
        title: 'Delete Failed',
        description: 'Changed elsewhere. Nothing was overwritten. Read it before you delete it.',
      }),
    );
  });

  it('counts as deleted if an earlier press has deleted it', async () => {
    service.answers[`DELETE /api/trusted-contacts/${priya.id}`] = refused(404, 'Gone.', { type: 'NOT_FOUND' });
    openPage(ContactsPage, { route: '/contacts', at: '/contacts' });
    await userEvent.click(await screen.findByRole('button', { name: 'Delete Priya Shah' }));
    await userEvent.click(button('Delete the contact'));
    await expectToast('Contact Deleted');
  });
});

describe('A list that something else has answered', () => {
  it.each([
    ['/contacts', ContactsPage, 'GET /api/trusted-contacts', 'We could not load your contacts', /No trusted contacts/],
    ['/documents', DocumentsPage, 'GET /api/documents', 'We could not load your documents', /No documents/],
  ])('is not shown as empty: %s', async (at, Page, key, words, empty) => {
    service.answers[key] = { status: 200, body: { status: 'ok' } };
    const { warn } = console;
    console.warn = () => undefined;
    openPage(Page, { route: at, at });
    expect(await screen.findByText(words)).toBeDefined();
    expect(screen.queryByText(empty)).toBeNull();
    console.warn = warn;
  });
});
