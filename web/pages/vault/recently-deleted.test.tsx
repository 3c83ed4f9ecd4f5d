import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { currentToasts } from '#web/lib/toast.ts';
import { nell, open as openMessages, startMessages } from './messages.test-world.tsx';
import { RecentlyDeletedPage } from './recently-deleted.tsx';
import { daysFromNow, idOf, ok, openPage, refused, type Service } from './vault.test-world.ts';

let service: Service;
beforeEach(() => {
  service = startMessages();
  service.answers['GET /api/recently-deleted'] = ok([letter, contact]);
});
afterEach(() => service.stop());

const letter = {
  kind: 'message',
  id: idOf(10),
  title: 'For Nell',
  deletedAt: daysFromNow(-2),
  goneAt: daysFromNow(28),
};
const contact = { ...letter, kind: 'contact', id: idOf(20), title: 'Priya Shah' };
const open = () => openPage(RecentlyDeletedPage, { route: '/recently-deleted', at: '/recently-deleted' });
const lastToast = () => currentToasts()[0];
const restoring = `POST /api/recently-deleted/message/${letter.id}/restore`;

it('shows deleted items with the last day to restore them, and restores them', async () => {
  service.answers[restoring] = ok(null);
  open();
  expect(await screen.findAllByRole('listitem')).toHaveLength(2);
  expect(screen.getByText(/^Message, deleted on/)).toBeDefined();
  expect(screen.getByText(/^Trusted contact, deleted on/)).toBeDefined();
  service.answers['GET /api/recently-deleted'] = ok([contact]);
  await userEvent.click(screen.getByRole('button', { name: 'Take it back: For Nell' }));
  await waitFor(() => expect(lastToast()).toMatchObject({ title: 'Taken Back' }));
  await waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(1));
});

it('says why something can’t be taken back, and leaves it there', async () => {
  const message = 'You have reached the plan limit of 2 messages on Free.';
  service.answers[restoring] = refused(403, message);
  open();
  await userEvent.click(await screen.findByRole('button', { name: 'Take it back: For Nell' }));
  await waitFor(() => expect(lastToast()).toMatchObject({ title: 'Not Taken Back', description: message }));
  expect(screen.getAllByRole('listitem')).toHaveLength(2);
});

it('asks before something goes at once', async () => {
  const key = `DELETE /api/recently-deleted/message/${letter.id}`;
  service.answers[key] = ok(null);
  open();
  await userEvent.click(await screen.findByRole('button', { name: 'Delete for good: For Nell' }));
  expect(service.count(key)).toBe(0);
  const dialog = await screen.findByRole('alertdialog', { name: 'Delete “For Nell” for good?' });
  const question = 'Are you sure you want to delete this message? This action cannot be undone.';
  expect(within(dialog).getByText(question)).toBeDefined();
  await userEvent.click(within(dialog).getByRole('button', { name: 'Delete for good' }));
  const deleted = { title: 'Message Deleted', description: 'The message has been permanently deleted.' };
  await waitFor(() => expect(lastToast()).toMatchObject(deleted));
  expect(service.count(key)).toBe(1);
});

it.each([
  { kind: 'document', noun: 'document', told: 'Document Deleted' },
  { kind: 'contact', noun: 'trusted contact', told: 'Contact Deleted' },
])('says of each kind that it cannot be undone: $kind', async ({ kind, noun, told }) => {
  service.answers['GET /api/recently-deleted'] = ok([{ ...letter, kind }]);
  service.answers[`DELETE /api/recently-deleted/${kind}/${letter.id}`] = ok(null);
  open();
  await userEvent.click(await screen.findByRole('button', { name: 'Delete for good: For Nell' }));
  const dialog = await screen.findByRole('alertdialog');
  const question = `Are you sure you want to delete this ${noun}? This action cannot be undone.`;
  expect(within(dialog).getByText(question)).toBeDefined();
  await userEvent.click(within(dialog).getByRole('button', { name: 'Delete for good' }));
  await waitFor(() => expect(lastToast()).toMatchObject({ title: told }));
});

it('asks for a fresh sign-in before something goes permanently, and keeps it until then', async () => {
  const key = `DELETE /api/recently-deleted/message/${letter.id}`;
  service.answers[key] = refused(403, 'Confirm that it is you.', { type: 'REAUTHENTICATION_REQUIRED' });
  open();
  await userEvent.click(await screen.findByRole('button', { name: 'Delete for good: For Nell' }));
  const dialog = await screen.findByRole('alertdialog', { name: 'Delete “For Nell” for good?' });
  await userEvent.click(within(dialog).getByRole('button', { name: 'Delete for good' }));
  expect(await screen.findByLabelText(/password/i, { selector: 'input' })).toBeDefined();
  expect(service.count(key)).toBe(1);
  expect(screen.getAllByRole('listitem', { hidden: true })).toHaveLength(2);
});

it('says that there is nothing', async () => {
  service.answers['GET /api/recently-deleted'] = ok([]);
  open();
  expect(await screen.findByText('You have deleted nothing lately.')).toBeDefined();
});

it('undoes a deletion from its notice', async () => {
  service.answers[`DELETE /api/messages/${nell.id}`] = ok(null);
  service.answers[`POST /api/recently-deleted/message/${nell.id}/restore`] = ok(null);
  await openMessages();
  await userEvent.click(screen.getAllByRole('button', { name: /Delete/ })[0] as HTMLElement);
  await userEvent.click(await screen.findByRole('button', { name: 'Delete the message' }));
  await waitFor(() => expect(lastToast()).toMatchObject({ title: 'Message Deleted', action: { label: 'Undo' } }));
  lastToast()?.action?.run();
  await waitFor(() => expect(lastToast()).toMatchObject({ title: 'Taken Back' }));
  expect(service.count(`POST /api/recently-deleted/message/${nell.id}/restore`)).toBe(1);
});
