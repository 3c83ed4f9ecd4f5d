import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pasteInto } from '#tests/support/paste-into.ts';
import { longDate } from '#web/lib/format.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { startDevice } from '#web/pages/account/device.test-world.ts';
import { cat, nell, open, startMessages, will } from './messages.test-world.tsx';
import { daysFromNow, holdAnswers, ok, refused, type Service } from './vault.test-world.ts';

const staleSignIn = refused(403, 'Confirm that it is you.', { type: 'REAUTHENTICATION_REQUIRED' });

let service: Service;
beforeEach(() => {
  service = startMessages();
});
afterEach(() => service.stop());

const button = (name: string | RegExp) => screen.getByRole('button', { name });
const lastToast = () => currentToasts()[0];

describe('Writing a message', () => {
  async function write(words: Record<string, string> = {}) {
    await open();
    await userEvent.click(button('Create Message'));
    const all = {
      'Message Title *': 'For Tom',
      'Message Content *': 'Look after the boat.',
      'Recipient Email *': 'Tom@Post.example',
      ...words,
    };
    for (const [label, value] of Object.entries(all)) {
      if (value) await pasteInto(screen.getByLabelText(label), value);
    }
  }

  it('says that the draft is kept only after it is', async () => {
    const device = startDevice();
    const { promise, resolve } = Promise.withResolvers<void>();
    try {
      await open();
      await userEvent.click(button('Create Message'));
      device.writeAfter(promise);
      await pasteInto(screen.getByLabelText('Message Title *'), 'For Tom');
      expect(screen.queryByText(/Draft kept/)).toBeNull();
      resolve();
      expect(await screen.findByText(/Draft kept at \d\d:\d\d/)).toBeDefined();
    } finally {
      device.remove();
    }
  });
  const expectToast = (expected: Record<string, string>) => waitFor(() => expect(lastToast()).toMatchObject(expected));

  it('needs a title, words and a real address, and starts with the first that is missing', async () => {
    await open();
    await userEvent.click(button('Create Message'));
    await userEvent.click(button('Save & Ready to Send'));
    expect(screen.getAllByText('Required')).toHaveLength(2);
    expect(screen.getByText('Please enter a valid email address')).toBeDefined();
    expect(document.activeElement).toBe(screen.getByLabelText('Recipient Email *'));
    expect(screen.getByLabelText('Message Title *').getAttribute('aria-invalid')).toBe('true');
    expect(service.count('POST /api/messages')).toBe(0);
  });

  it.each([
    ['Save as Draft', 'draft', 'Your message has been saved as draft'],
    ['Save & Ready to Send', 'ready', 'Your message has been saved as ready for delivery'],
  ])('%s saves it once as %s, closes, and reads the lists again', async (press, status, description) => {
    service.answers['POST /api/messages'] = { status: 201, body: nell };
    await write();
    await userEvent.selectOptions(screen.getByLabelText('Category'), 'financial');
    await userEvent.click(screen.getByLabelText(/Show its title to my trusted contacts/));
    const answer = holdAnswers();
    const reads = service.count('GET /api/messages/envelopes');
    await userEvent.dblClick(button(press));
    answer();
    await expectToast({ title: 'Message Saved', description });
    expect(service.calls.filter(({ key }) => key === 'POST /api/messages').map(({ body }) => body)).toEqual([
      {
        hasAttachment: false,
        title: 'For Tom',
        content: 'Look after the boat.',
        encryptedContent: null,
        recipientEmail: 'tom@post.example',
        recipients: [{ name: null, relation: null, email: 'tom@post.example' }],
        showRecipients: false,
        deliverOn: null,
        announceWait: false,
        category: 'financial',
        status,
        visibleToTrustedContact: true,
      },
    ]);
    expect(screen.queryByLabelText('Message Title *')).toBeNull();
    await waitFor(() => expect(service.count('GET /api/messages/envelopes')).toBe(reads + 1));
  });

  it.each([
    [
      refused(403, 'You have reached your plan limit of 2 messages.', { upgradeRequired: true }),
      { title: 'Plan Limit Reached', description: 'You have reached your plan limit of 2 messages.' },
    ],
    [
      refused(403, 'This needs the Essential plan.', { upgradeRequired: true }),
      { title: 'Upgrade Required', description: 'This needs the Essential plan.' },
    ],
    [refused(500, 'Broken.'), { title: 'Error', description: 'Failed to save message. Please try again.' }],
    ['unreachable' as const, { title: 'Error', description: 'Failed to save message. Please try again.' }],
  ])('that can’t be saved says why and keeps every word (%#)', async (answer, expected) => {
    service.answers['POST /api/messages'] = answer;
    await write();
    await userEvent.click(button('Save as Draft'));
    await expectToast({ ...expected, variant: 'destructive' });
    expect(screen.getByLabelText<HTMLTextAreaElement>('Message Content *').value).toBe('Look after the boat.');
    expect(screen.getByLabelText<HTMLInputElement>('Message Title *').value).toBe('For Tom');
  });

  it('to a new reader asks for a fresh sign-in, and then saves the same letter once', async () => {
    service.answers['POST /api/messages'] = staleSignIn;
    service.answers['POST /api/user/reauthenticate'] = ok({ ok: true });
    await write();
    await userEvent.click(button('Save & Ready to Send'));
    await pasteInto(await screen.findByLabelText('Password'), 'a bag of limes');
    service.answers['POST /api/messages'] = { status: 201, body: nell };
    await userEvent.click(button('Save the letter'));
    await expectToast({ title: 'Message Saved' });
    const [first, second, ...more] = service.calls.filter(({ key }) => key === 'POST /api/messages');
    expect(second?.body).toEqual(first?.body);
    expect(second?.body).toMatchObject({ content: 'Look after the boat.', status: 'ready' });
    expect(more).toEqual([]);
  });

  it('keeps every word if the question for a fresh sign-in is closed', async () => {
    service.answers['POST /api/messages'] = staleSignIn;
    await write();
    await userEvent.click(button('Save & Ready to Send'));
    const question = await screen.findByRole('dialog', { name: 'Confirm that it is you' });
    await userEvent.click(within(question).getByRole('button', { name: 'Close' }));
    expect(await screen.findByText('Your letter is not saved yet. What you wrote is still here.')).toBeDefined();
    expect(screen.getByLabelText<HTMLTextAreaElement>('Message Content *').value).toBe('Look after the boat.');
    expect(service.count('POST /api/messages')).toBe(1);
  });

  it('counts its words', async () => {
    await write();
    expect(screen.getByText('4 words')).toBeDefined();
  });

  it('has beginnings pencilled on it, which go with the first letter that is typed', async () => {
    await open();
    await userEvent.click(button('Create Message'));
    const content = screen.getByLabelText<HTMLTextAreaElement>('Message Content *');
    await userEvent.type(content, 'L');
    expect(screen.queryByText('Begin anywhere. Or with one of these:')).toBeNull();
    await userEvent.clear(content);
    await userEvent.click(button(/Thank them for one exact thing/));
    expect(content.value).toBe('I want to thank you for ');
    expect(document.activeElement).toBe(content);
    expect(screen.queryByText('Begin anywhere. Or with one of these:')).toBeNull();
  });

  it('is not made ready with a beginning that nothing follows', async () => {
    await write({ 'Message Content *': '' });
    await userEvent.click(button(/A day you would live again/));
    await userEvent.click(button('Save & Ready to Send'));
    expect(await screen.findByText(/Nothing follows “A day I would live again:” yet/)).toBeDefined();
    expect(service.count('POST /api/messages')).toBe(0);
    service.answers['POST /api/messages'] = { status: 201, body: nell };
    await userEvent.click(button('Save as Draft'));
    await expectToast({ title: 'Message Saved' });
  });

  it('has a title of one line, whatever is pasted', async () => {
    await write({ 'Message Title *': '' });
    const title = screen.getByLabelText<HTMLTextAreaElement>('Message Title *');
    await userEvent.click(title);
    await userEvent.paste('For Tom,\n on the day\r\nyou marry');
    await userEvent.keyboard('{Enter}');
    expect(title.value).toBe('For Tom, on the day you marry');
    service.answers['POST /api/messages'] = { status: 201, body: nell };
    await userEvent.click(button('Save as Draft'));
    await expectToast({ title: 'Message Saved' });
    const [made] = service.calls.filter(({ key }) => key === 'POST /api/messages');
    expect(made?.body).toMatchObject({ title: 'For Tom, on the day you marry' });
  });

  it('shows for a moment for whom it was sealed, and from there can be opened again', async () => {
    const saved = { ...nell, recipients: nell.recipients.map((reader) => ({ ...reader, name: 'Nell' })) };
    service.answers['POST /api/messages'] = { status: 201, body: saved };
    await write();
    await userEvent.click(button('Save & Ready to Send'));
    const moment = within(await screen.findByRole('dialog', { name: 'Sealed for Nell.' }));
    expect(moment.getByText('You can open and change it at any time.')).toBeDefined();
    expect(document.activeElement).toBe(button('All messages'));
    await userEvent.click(button('Open it again'));
    expect(screen.getByRole('dialog', { name: 'Edit message' })).toBeDefined();
    expect(screen.getByLabelText<HTMLInputElement>('Recipient Email *').value).toBe('nell@ashworth.example');
    await userEvent.click(button('Close'));
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('can be followed by another at once', async () => {
    service.answers['POST /api/messages'] = { status: 201, body: nell };
    await write();
    await userEvent.click(button('Save & Ready to Send'));
    await userEvent.click(await screen.findByRole('button', { name: 'Write another' }));
    expect(screen.getByRole('dialog', { name: 'New message' })).toBeDefined();
    expect(screen.getByLabelText<HTMLTextAreaElement>('Message Title *').value).toBe('');
  });

  it('can be seen as the recipient will, and written on', async () => {
    await write();
    await userEvent.click(button('See it as they will'));
    const letter = within(screen.getByRole('article'));
    expect(letter.getByText(/wrote this for you/).textContent).toBe('Sam Ashworth wrote this for you');
    expect(letter.getByRole('heading', { name: 'For Tom' })).toBeDefined();
    expect(letter.getByText('Look after the boat.')).toBeDefined();
    expect(screen.getByText(/This message is deleted automatically after 30 days/)).toBeDefined();
    await userEvent.click(button('Back to writing'));
    expect(screen.getByLabelText<HTMLInputElement>('Message Title *').value).toBe('For Tom');
  });

  it('is not closed over words that are not saved without a question', async () => {
    await write();
    await userEvent.click(button('Close'));
    const question = within(screen.getByRole('alertdialog', { name: 'Leave your letter?' }));
    await userEvent.click(question.getByRole('button', { name: 'Keep writing' }));
    expect(screen.getByLabelText<HTMLInputElement>('Message Title *').value).toBe('For Tom');
    await userEvent.click(button('Close'));
    await userEvent.click(button('Discard it'));
    expect(screen.queryByLabelText('Message Title *')).toBeNull();
  });

  it('is closed at once where nothing was written', async () => {
    await open();
    await userEvent.click(button('Create Message'));
    await userEvent.click(button('Close'));
    expect(screen.queryByLabelText('Message Title *')).toBeNull();
    expect(screen.queryByRole('alertdialog')).toBeNull();
  });
});

describe('Changing a message', () => {
  const put = `PUT /api/messages/${will.id}`;

  it('begins with the saved letter, and updates it', async () => {
    service.answers[put] = ok(will);
    await open();
    await userEvent.click(button('The will'));
    const title = screen.getByLabelText<HTMLInputElement>('Message Title *');
    expect(title.value).toBe('The will');
    expect(screen.getByLabelText<HTMLSelectElement>('Category').value).toBe('legal');
    await pasteInto(title, ', signed');
    await userEvent.click(button('Save & Ready to Send'));
    await waitFor(() =>
      expect(lastToast()).toMatchObject({
        title: 'Message Updated',
        description: 'Your message has been successfully updated as ready for delivery',
      }),
    );
    expect(service.calls.find(({ key }) => key === put)?.body).toMatchObject({
      title: 'The will, signed',
      status: 'ready',
    });
  });

  it('says so where that fails', async () => {
    service.answers[put] = refused(500, 'Broken.');
    await open();
    await userEvent.click(button('Edit The will'));
    await userEvent.click(button('Save as Draft'));
    await waitFor(() =>
      expect(lastToast()).toMatchObject({
        title: 'Error',
        description: 'Failed to update message. Please try again.',
      }),
    );
  });

  it('is not possible after delivery: the letter is shown with the state of its deliveries', async () => {
    const [reader] = cat.recipients;
    const recipients = [
      { name: 'Nell', relation: null, email: 'nell@ashworth.example', status: 'accepted', openedAt: daysFromNow(0) },
      { ...reader, name: 'Ruth', email: 'ruth@post.example' },
    ];
    service.answers['GET /api/messages'] = ok([{ ...cat, recipients }]);
    await open();
    await userEvent.click(button('Read The cat'));
    const dialog = within(screen.getByRole('dialog', { name: 'The cat' }));
    expect(dialog.getByText('The blue tin has the photographs.')).toBeDefined();
    expect(dialog.getByText(longDate(daysFromNow(-1)))).toBeDefined();
    expect(dialog.getByText(`Opened ${longDate(daysFromNow(0))}`)).toBeDefined();
    expect(dialog.getByText('Not opened yet')).toBeDefined();
    expect(dialog.queryByRole('textbox')).toBeNull();
  });
});
