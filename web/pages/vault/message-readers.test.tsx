import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pasteInto } from '#tests/support/paste-into.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { startDevice } from '#web/pages/account/device.test-world.ts';
import { open, startMessages, will } from './messages.test-world.tsx';
import { idOf, messageOf, ok, type Service } from './vault.test-world.ts';

let service: Service;
beforeEach(() => {
  service = startMessages();
});
afterEach(() => service.stop());

const button = (name: string | RegExp) => screen.getByRole('button', { name });
const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const content = () => screen.getByLabelText<HTMLTextAreaElement>('Message Content *').value;
const type = async (label: string, words: string) => {
  await userEvent.clear(field(label));
  if (words) await pasteInto(field(label), words);
};

async function begin() {
  await open();
  await userEvent.click(button('Create Message'));
}

async function add(name: string, email: string) {
  await userEvent.click(button('Add somebody'));
  await type('Name', name);
  await type('Recipient Email *', email);
}

describe('The readers of a letter', () => {
  it('are as many as its writer names, each with an address of their own', async () => {
    service.answers['POST /api/messages'] = { status: 201, body: messageOf() };
    await begin();
    await type('Name', 'Nell');
    await type('They are your', 'daughter');
    await type('Recipient Email *', 'Nell@Ashworth.example');
    await add('Joss', 'joss@ashworth.example');
    expect(document.activeElement).toBe(field('Recipient Email *'));
    expect(button(/^Nell your daughter$/).getAttribute('aria-expanded')).toBe('false');
    expect(button(/^Joss/).getAttribute('aria-expanded')).toBe('true');
    await userEvent.click(screen.getByLabelText('Let them see who else has it'));
    // An added reader without any entry is ignored.
    await userEvent.click(button('Add somebody'));
    await type('Message Title *', 'The boat');
    await pasteInto(screen.getByLabelText('Message Content *'), 'It is yours.');
    await userEvent.click(button('Save as Draft'));
    await waitFor(() => expect(currentToasts()[0]?.title).toBe('Message Saved'));
    const [made] = service.calls.filter(({ key }) => key === 'POST /api/messages');
    expect(made?.body).toMatchObject({
      recipientEmail: 'nell@ashworth.example',
      recipients: [
        { name: 'Nell', relation: 'daughter', email: 'nell@ashworth.example' },
        { name: 'Joss', relation: null, email: 'joss@ashworth.example' },
      ],
      showRecipients: true,
      content: 'Dear Nell and Joss,\n\nIt is yours.',
    });
  });

  it('can be taken off again, and the focus stays among them', async () => {
    await begin();
    await type('Name', 'Nell');
    await type('Recipient Email *', 'nell@ashworth.example');
    await add('Joss', 'joss@ashworth.example');
    await userEvent.click(button('Take Nell off this letter'));
    expect(field('Name').value).toBe('Joss');
    expect(document.activeElement).toBe(field('Name'));
    expect(screen.queryByRole('button', { name: /off this letter/ })).toBeNull();
  });

  it('are opened where something is wrong with one of them', async () => {
    await begin();
    await type('Recipient Email *', 'nell@ashworth.example');
    await add('Joss', 'joss');
    await userEvent.click(button('Done'));
    await type('Message Title *', 'The boat');
    await pasteInto(screen.getByLabelText('Message Content *'), 'It is yours.');
    await userEvent.click(button('Save as Draft'));
    expect(await screen.findByText('Please enter a valid email address')).toBeDefined();
    expect(field('Recipient Email *').value).toBe('joss');
    expect(service.count('POST /api/messages')).toBe(0);
  });

  it('are each named once', async () => {
    await begin();
    await type('Recipient Email *', 'nell@ashworth.example');
    await add('', 'nell@ashworth.example');
    await userEvent.click(button('Save as Draft'));
    expect(await screen.findByText('This address is in the list already')).toBeDefined();
  });

  it('that were written to before are offered', async () => {
    const known = messageOf({
      id: idOf(15),
      recipients: [
        { name: 'Nell', relation: 'my daughter', email: 'nell@ashworth.example', status: null, openedAt: null },
      ],
    });
    service.answers['GET /api/messages'] = ok([known, will]);
    await begin();
    await userEvent.click(button('Write to Nell'));
    expect([field('Name').value, field('They are your').value, field('Recipient Email *').value]).toEqual([
      'Nell',
      'daughter',
      'nell@ashworth.example',
    ]);
    expect(screen.queryByRole('button', { name: 'Write to Nell' })).toBeNull();
    await userEvent.click(button('Write to law@post.example'));
    expect(button(/^law@post\.example/).getAttribute('aria-expanded')).toBe('true');
  });

  it('stay all of them, with their names, when a letter is changed', async () => {
    const put = `PUT /api/messages/${will.id}`;
    const recipients = [
      { name: 'Ada', relation: 'my solicitor', email: 'law@post.example', status: null, openedAt: null },
      { name: 'Tom', relation: null, email: 'tom@post.example', status: null, openedAt: null },
    ];
    service.answers['GET /api/messages'] = ok([{ ...will, recipients, showRecipients: true }]);
    service.answers[put] = ok(will);
    await open();
    await userEvent.click(button('Edit The will'));
    expect(button(/^Ada your solicitor$/)).toBeDefined();
    await userEvent.click(button('Save as Draft'));
    await waitFor(() => expect(service.count(put)).toBe(1));
    expect(service.calls.find(({ key }) => key === put)?.body).toMatchObject({
      showRecipients: true,
      recipients: [
        { name: 'Ada', relation: 'solicitor', email: 'law@post.example' },
        { name: 'Tom', relation: null, email: 'tom@post.example' },
      ],
    });
  });

  it('are kept on this device with the words', async () => {
    const device = startDevice();
    try {
      await begin();
      await type('Name', 'Nell');
      await type('Recipient Email *', 'nell@ashworth.example');
      await add('Joss', 'joss@ashworth.example');
      await screen.findByText(/Draft kept at/);
      await userEvent.click(button('Close'));
      await userEvent.click(button('Close and keep it here'));
      await userEvent.click(button('Create Message'));
      expect(await screen.findByText('This is what you had typed here')).toBeDefined();
      await userEvent.click(button(/^Joss/));
      expect(field('Recipient Email *').value).toBe('joss@ashworth.example');
    } finally {
      device.remove();
    }
  });
});

describe('An address that looks like a slip', () => {
  it('is asked about once the writer goes on, and put right with a press', async () => {
    await begin();
    await type('Recipient Email *', 'joss@gamil.com');
    expect(screen.queryByText('gmail.com', { exact: false })).toBeNull();
    await userEvent.tab();
    expect(screen.getByText('joss@gmail.com')).toBeDefined();
    await userEvent.click(button('Change it'));
    expect(field('Recipient Email *').value).toBe('joss@gmail.com');
    expect(document.activeElement).toBe(field('Recipient Email *'));
  });

  it('is believed where the writer says that it is right', async () => {
    await begin();
    await type('Recipient Email *', 'nel@ashworth.example');
    await userEvent.tab();
    expect(screen.getByText('nell@ashworth.example', { selector: 'b' })).toBeDefined();
    await userEvent.click(button('No, it is right'));
    await userEvent.tab();
    expect(screen.queryByText('Did you mean', { exact: false })).toBeNull();
    expect(field('Recipient Email *').value).toBe('nel@ashworth.example');
  });
});

describe('The greeting', () => {
  it('follows the name until the writer changes it', async () => {
    await begin();
    await type('Name', 'Nell');
    expect(content()).toBe('Dear Nell,\n\n');
    await type('Name', 'Joss');
    expect(content()).toBe('Dear Joss,\n\n');
    const sheet = screen.getByLabelText('Message Content *');
    await userEvent.clear(sheet);
    await pasteInto(sheet, 'My dearest Joss,');
    await type('Name', 'Tom');
    expect(content()).toBe('My dearest Joss,');
  });

  it('is no letter by itself, and the writer goes on after it', async () => {
    await begin();
    await type('Name', 'Nell');
    await type('Recipient Email *', 'nell@ashworth.example');
    await type('Message Title *', 'For Nell');
    await userEvent.click(button('Save as Draft'));
    expect(await screen.findByText('Required')).toBeDefined();
    expect(screen.getByText('No words yet')).toBeDefined();
    await userEvent.click(button(/Thank them for one exact thing/));
    expect(content()).toBe('Dear Nell,\n\nI want to thank you for ');
  });

  it('shows no names to readers who may not see each other', async () => {
    await begin();
    await type('Name', 'Nell');
    await add('Joss', 'joss@ashworth.example');
    expect(content()).toBe('');
    await userEvent.click(screen.getByLabelText('Let them see who else has it'));
    expect(content()).toBe('Dear Nell and Joss,\n\n');
    await userEvent.click(button('See it as they will'));
    expect(within(screen.getByRole('article')).getByText(/wrote this for you, and for/)).toBeDefined();
  });
});
