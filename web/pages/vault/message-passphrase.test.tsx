import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SealedLetter } from '#shared/contract/messages.ts';
import { openLetter, sealLetter } from '#web/lib/letter-seal.ts';
import { currentToasts, toast } from '#web/lib/toast.ts';
import { nell, open, openAtOnce, startMessages } from './messages.test-world.tsx';
import { daysFromNow, messageOf, ok, type Service } from './vault.test-world.ts';

const passphrase = 'the lemon tree';
const words = 'The blue tin has the photographs.';

let service: Service;
beforeEach(() => {
  service = startMessages();
});
afterEach(() => {
  service.stop();
  toast({ title: 'Nothing yet' });
});

const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name });
const saved = () => waitFor(() => expect(currentToasts()[0]?.title).toMatch(/^Message (Saved|Updated)$/));
const sent = (key: string) =>
  service.calls.find((made) => made.key === key)?.body as { content: string; encryptedContent: SealedLetter };

async function haveSealed(changes: Partial<typeof nell> = {}) {
  const encryptedContent = await sealLetter(words, { passphrase, hint: 'What stood in the yard?' });
  service.answers['GET /api/messages'] = ok([messageOf({ content: '', encryptedContent, ...changes })]);
  return encryptedContent;
}

describe('Sealing a letter with a passphrase', () => {
  async function write() {
    await open();
    await userEvent.click(button('Create Message'));
    await userEvent.type(screen.getByLabelText('Message Title *'), 'For Tom');
    await userEvent.type(screen.getByLabelText('Message Content *'), words);
    await userEvent.type(screen.getByLabelText('Recipient Email *'), 'tom@post.example');
    await userEvent.click(screen.getByLabelText(/Seal the letter with a passphrase/));
  }

  it('sends neither words nor passphrase, but what opens with it', async () => {
    service.answers['POST /api/messages'] = ok(nell);
    await write();
    await userEvent.type(screen.getByLabelText('Passphrase'), passphrase);
    await userEvent.type(screen.getByLabelText('Hint for them'), 'What stood in the yard?');
    await userEvent.click(button('Save & Ready to Send'));
    await saved();
    const { content, encryptedContent } = sent('POST /api/messages');
    expect([content, encryptedContent.hint]).toEqual(['', 'What stood in the yard?']);
    expect(await openLetter(encryptedContent, passphrase)).toBe(words);
    const everything = JSON.stringify(service.calls);
    for (const secret of ['photographs', passphrase]) expect(everything).not.toContain(secret);
  });

  it('needs a passphrase that is not too short', async () => {
    await write();
    await userEvent.type(screen.getByLabelText('Passphrase'), ' lemon ');
    await userEvent.click(button('Save as Draft'));
    expect(await screen.findByText('Type a passphrase of at least 8 characters')).toBeDefined();
    expect(service.count('POST /api/messages')).toBe(0);
  });
});

describe('A sealed letter in the list', () => {
  it('shows that it is sealed, and is found by its title', async () => {
    await haveSealed({ title: 'For Nell' });
    openAtOnce();
    const row = (await screen.findByRole('heading', { name: 'For Nell' })).closest('li');
    expect(row?.textContent).toContain('Sealed with a passphrase');
  });

  it('can be changed but for its words, and those stay as they were', async () => {
    const sealed = await haveSealed();
    service.answers[`PUT /api/messages/${nell.id}`] = ok(nell);
    openAtOnce();
    await userEvent.click(await screen.findByRole('button', { name: 'Edit For Nell' }));
    expect(screen.queryByLabelText('Message Content *')).toBeNull();
    await userEvent.type(screen.getByLabelText('Message Title *'), ', later');
    await userEvent.click(button('Save & Ready to Send'));
    await saved();
    expect(sent(`PUT /api/messages/${nell.id}`)).toMatchObject({
      title: 'For Nell, later',
      content: '',
      encryptedContent: sealed,
    });
  });

  it('opens with its passphrase alone, and is sealed again when it is saved', async () => {
    const sealed = await haveSealed();
    service.answers[`PUT /api/messages/${nell.id}`] = ok(nell);
    openAtOnce();
    await userEvent.click(await screen.findByRole('button', { name: 'Edit For Nell' }));
    await userEvent.type(screen.getByLabelText('Passphrase'), 'the apple tree');
    await userEvent.click(button('Open the letter'));
    expect(await screen.findByText(/That does not open it/)).toBeDefined();
    await userEvent.clear(screen.getByLabelText('Passphrase'));
    await userEvent.type(screen.getByLabelText('Passphrase'), passphrase);
    await userEvent.click(button('Open the letter'));
    const letter = await screen.findByLabelText<HTMLTextAreaElement>('Message Content *');
    expect(letter.value).toBe(words);
    await userEvent.type(letter, ' And the key.');
    await userEvent.click(button('Save as Draft'));
    await saved();
    const { encryptedContent } = sent(`PUT /api/messages/${nell.id}`);
    expect(encryptedContent.ciphertext).not.toBe(sealed.ciphertext);
    expect(encryptedContent.hint).toBe('What stood in the yard?');
    expect(await openLetter(encryptedContent, passphrase)).toBe(`${words} And the key.`);
  });

  it('can be read once it is delivered, with the passphrase', async () => {
    await haveSealed({ status: 'delivered', deliveredAt: daysFromNow(-1) });
    openAtOnce();
    await userEvent.click(await screen.findByRole('button', { name: 'Read For Nell' }));
    const dialog = within(screen.getByRole('dialog'));
    expect(dialog.getByText('What stood in the yard?', { exact: false })).toBeDefined();
    await userEvent.type(dialog.getByLabelText('Passphrase'), passphrase);
    await userEvent.click(dialog.getByRole('button', { name: 'Open the letter' }));
    expect(await dialog.findByText(words)).toBeDefined();
  });
});
