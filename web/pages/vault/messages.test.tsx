import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { damagedTitle } from '#shared/rules/damaged.ts';
import { pasteInto } from '#tests/support/paste-into.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { cat, nell, open, openAtOnce, startMessages, will } from './messages.test-world.tsx';
import { holdAnswers, ok, refused, type Service } from './vault.test-world.ts';

let service: Service;
beforeEach(() => {
  service = startMessages();
});
afterEach(() => service.stop());

const button = (name: string | RegExp) => screen.getByRole('button', { name });
const lastToast = () => currentToasts()[0];
const titles = () => screen.queryAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent);
const rowOf = (title: string) => screen.getByRole('heading', { name: title }).closest('li') as HTMLElement;

describe('The list of messages', () => {
  it('has the shape of five rows while it loads', async () => {
    const answer = holdAnswers();
    openAtOnce();
    expect(screen.getByRole('status', { name: 'Loading messages' }).children).toHaveLength(5);
    answer();
    await screen.findByRole('heading', { name: '3 Messages' });
  });

  it('tells of each its title, state, beginning, recipient, category and age', async () => {
    await open();
    expect(titles()).toEqual(['For Nell', 'The cat', 'The will']);
    const text = rowOf('For Nell').textContent ?? '';
    for (const part of [
      'Ready',
      'The blue tin has the photographs.',
      'nell@ashworth.example',
      'Personal',
      '3 days ago',
    ]) {
      expect(text).toContain(part);
    }
    expect(within(rowOf('The will')).getByText('Draft').className).toContain('badge-draft');
    expect(within(rowOf('For Nell')).getByText('Ready').className).toContain('badge-ready');
    expect(within(rowOf('The cat')).getByText('Delivered').className).toContain('badge-sent');
    expect(rowOf('The will').textContent).toContain(`${'In the safe. '.repeat(40).slice(0, 200)}...`);
    expect(rowOf('The will').textContent).toContain('2 weeks ago');
    expect(rowOf('The cat').textContent).toContain('2 months ago');
  });

  it('says calmly of one that is damaged what that means, and offers to delete it', async () => {
    const damaged = { ...nell, title: damagedTitle, content: '', recipientEmail: '', isDamaged: true as const };
    service.answers['GET /api/messages'] = ok([damaged, will]);
    await open();
    const row = rowOf(damagedTitle);
    expect(row.textContent).toContain('Nothing else is affected.');
    expect(within(row).getAllByRole('button')).toEqual([
      within(row).getByRole('button', { name: `Delete ${damagedTitle}` }),
    ]);
    expect(titles()).toEqual([damagedTitle, 'The will']);
  });

  it('counts one message as one', async () => {
    service.answers['GET /api/messages'] = ok([nell]);
    await open();
    expect(screen.getByRole('heading', { name: '1 Message' })).toBeDefined();
  });

  it('is searched in title, content and recipient, in any case', async () => {
    await open();
    const search = screen.getByPlaceholderText('Search messages...');
    for (const [words, found] of [
      ['the WILL', ['The will']],
      ['photographs', ['For Nell', 'The cat']],
      ['law@post', ['The will']],
    ] as const) {
      await userEvent.clear(search);
      await pasteInto(search, words);
      await waitFor(() => expect(titles()).toEqual(found));
    }
  });

  it('is filtered by category', async () => {
    await open();
    const group = within(screen.getByRole('group', { name: 'Filter by category' }));
    const names = group.getAllByRole('button', { pressed: false }).map(({ textContent }) => textContent);
    expect([button('All Categories').getAttribute('aria-pressed'), ...names]).toEqual([
      'true',
      'Personal',
      'Legal',
      'Financial',
      'Instructions',
    ]);
    await userEvent.click(button('Legal'));
    await screen.findByRole('heading', { name: '1 Message' });
    expect(titles()).toEqual(['The will']);
    await userEvent.click(button('Financial'));
    await screen.findByText('No messages found');
    expect(screen.getByText('Try adjusting your search or filter criteria')).toBeDefined();
    await userEvent.click(button('All Categories'));
    await waitFor(() => expect(titles()).toHaveLength(3));
  });

  it('says so if the search fails, and tries again', async () => {
    await open();
    service.answers['POST /api/messages/search'] = refused(400, 'Broken.');
    await pasteInto(screen.getByPlaceholderText('Search messages...'), 'will');
    await screen.findByText('We could not search your messages');
    delete service.answers['POST /api/messages/search'];
    await userEvent.click(button('Try again'));
    await waitFor(() => expect(titles()).toEqual(['The will']));
  });

  it('is empty at first, with one thing to do', async () => {
    service.answers['GET /api/messages'] = ok([]);
    await open();
    expect(screen.getByText('No messages yet')).toBeDefined();
    await userEvent.click(button('Create Your First Message'));
    expect(screen.getByRole('heading', { name: 'New message' })).toBeDefined();
  });

  it('says what happened where it can’t be loaded, and tries again', async () => {
    service.answers['GET /api/messages'] = 'unreachable';
    openAtOnce();
    await screen.findByText('We could not load your messages');
    service.answers['GET /api/messages'] = ok([nell]);
    await userEvent.click(button('Try again'));
    await screen.findByRole('heading', { name: '1 Message' });
  });
});

describe('Deleting a message', () => {
  const remove = `DELETE /api/messages/${nell.id}`;

  it('asks first, and starts on the safe answer', async () => {
    await open();
    await userEvent.click(button('Delete For Nell'));
    expect(
      screen.getByText('Are you sure you want to delete this message? It is kept for 30 days under Recently deleted.'),
    ).toBeDefined();
    expect(document.activeElement?.textContent).toBe('Keep it');
    await userEvent.click(button('Keep it'));
    expect(service.count(remove)).toBe(0);
  });

  it('deletes it once, and says so', async () => {
    service.answers[remove] = ok(null);
    await open();
    await userEvent.click(button('Delete For Nell'));
    const answer = holdAnswers();
    service.answers['GET /api/messages'] = ok([will, cat]);
    await userEvent.dblClick(button('Delete the message'));
    answer();
    await screen.findByRole('heading', { name: '2 Messages' });
    expect(lastToast()).toMatchObject({
      title: 'Message Deleted',
      description: 'It is kept for 30 days under Recently deleted.',
    });
    expect(service.calls.filter(({ key }) => key === remove).map(({ version }) => version)).toEqual([nell.version]);
  });

  it('says so where that fails', async () => {
    service.answers[remove] = refused(500, 'Broken.');
    await open();
    await userEvent.click(button('Delete For Nell'));
    await userEvent.click(button('Delete the message'));
    await waitFor(() =>
      expect(lastToast()).toMatchObject({
        title: 'Delete Failed',
        description: 'Unable to delete message. Please try again.',
        variant: 'destructive',
      }),
    );
  });
});
