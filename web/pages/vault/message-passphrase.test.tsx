import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SealedLetter } from '#shared/contract/messages.ts';
import { pasteInto } from '#tests/support/paste-into.ts';
import { firstSealed } from '#web/lib/sealing/letter-seal.test-world.ts';
import { openLetter, sealLetter } from '#web/lib/sealing/letter-seal.ts';
import { currentToasts, toast } from '#web/lib/toast.ts';
import { nell, open, openAtOnce, startMessages } from './messages.test-world.tsx';
import { daysFromNow, messageOf, ok, type Service } from './vault.test-world.ts';

const passphrase = 'the lemon tree';
const title = 'About the attic';
const words = 'The blue tin has the photographs.';
const hint = 'What stood in the yard?';

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
  service.calls.find((made) => made.key === key)?.body as {
    title: string;
    content: string;
    encryptedContent: SealedLetter;
  };

async function haveSealed(changes: Partial<typeof nell> = {}) {
  const encryptedContent = await sealLetter({ title, content: words }, { passphrase, hint });
  const sealed = { title: 'A sealed letter', content: '', encryptedContent };
  service.answers['GET /api/messages'] = ok([messageOf({ ...sealed, ...changes })]);
  return encryptedContent;
}

describe('Sealing a letter with a passphrase', () => {
  async function write() {
    await open();
    await userEvent.click(button('Create Message'));
    await pasteInto(await screen.findByLabelText('Message Title *'), title);
    await pasteInto(screen.getByLabelText('Message Content *'), words);
    await pasteInto(screen.getByLabelText('Recipient Email *'), 'tom@post.example');
    await userEvent.click(screen.getByLabelText(/Seal the letter with a passphrase/));
  }

  it('sends neither title nor words nor passphrase, but what opens with it', async () => {
    service.answers['POST /api/messages'] = ok(nell);
    await write();
    await pasteInto(screen.getByLabelText('Passphrase'), passphrase);
    await pasteInto(screen.getByLabelText('Hint for them'), hint);
    await userEvent.click(button('Save & Ready to Send'));
    await saved();
    const { encryptedContent, ...clear } = sent('POST /api/messages');
    expect(clear).toMatchObject({ title: 'A sealed letter', content: '' });
    expect([encryptedContent.version, encryptedContent.hint]).toEqual([2, hint]);
    expect(await openLetter(encryptedContent, passphrase)).toEqual({ title, content: words });
    const everything = JSON.stringify(service.calls);
    for (const secret of ['photographs', 'attic', passphrase]) expect(everything).not.toContain(secret);
  });

  it('needs a passphrase that is not too short, and a hint', async () => {
    await write();
    await pasteInto(screen.getByLabelText('Passphrase'), ' lemon... ');
    await userEvent.click(button('Save as Draft'));
    expect(await screen.findByText('Type a passphrase of at least 8 letters or digits')).toBeDefined();
    expect(screen.getByText('Write a hint that helps them to find the words')).toBeDefined();
    expect(service.count('POST /api/messages')).toBe(0);
  });

  it('warns about a forgotten passphrase, and names the parts that it does not seal', async () => {
    await write();
    expect(screen.getByText(/If nobody knows these words, nobody can ever open the letter/)).toBeDefined();
    expect(screen.getByText(/Whom it is for and the hint are not sealed/)).toBeDefined();
  });

  it('lets its writer try the words', async () => {
    await write();
    expect(button('Try the words').disabled).toBe(true);
    await pasteInto(screen.getByLabelText('Passphrase'), passphrase);
    await pasteInto(screen.getByLabelText('Type the words again'), 'the apple tree');
    await userEvent.click(button('Try the words'));
    expect(await screen.findByText('Those words do not open it.')).toBeDefined();
    await userEvent.clear(screen.getByLabelText('Type the words again'));
    expect(screen.queryByText('Those words do not open it.')).toBeNull();
    await userEvent.type(screen.getByLabelText('Type the words again'), 'The Lemon-Tree{Enter}');
    expect(await screen.findByText('It opens.')).toBeDefined();
    await userEvent.type(screen.getByLabelText('Passphrase'), 's');
    expect(screen.queryByText('It opens.')).toBeNull();
  });
});

describe('A sealed letter in the list', () => {
  it('shows that it is sealed, and nothing of its title', async () => {
    await haveSealed();
    openAtOnce();
    const row = (await screen.findByRole('heading', { name: 'A sealed letter' })).closest('li');
    expect(row?.textContent).toContain('Sealed with a passphrase');
  });

  it('can be changed but for its title and words, and those stay as they were', async () => {
    const sealed = await haveSealed();
    service.answers[`PUT /api/messages/${nell.id}`] = ok(nell);
    openAtOnce();
    await userEvent.click(await screen.findByRole('button', { name: 'Edit A sealed letter' }));
    expect([screen.queryByLabelText('Message Content *'), screen.queryByLabelText('Message Title *')]).toEqual([
      null,
      null,
    ]);
    await userEvent.selectOptions(screen.getByLabelText('Category'), 'legal');
    await userEvent.click(button('Save & Ready to Send'));
    await saved();
    expect(sent(`PUT /api/messages/${nell.id}`)).toMatchObject({
      title: 'A sealed letter',
      content: '',
      category: 'legal',
      encryptedContent: sealed,
    });
  });

  it('that was sealed without its title keeps it, and seals it too once it is opened and saved', async () => {
    const { sealed: encryptedContent, passphrase: first, content } = firstSealed;
    service.answers['GET /api/messages'] = ok([messageOf({ title: 'For Nell', content: '', encryptedContent })]);
    service.answers[`PUT /api/messages/${nell.id}`] = ok(nell);
    openAtOnce();
    await userEvent.click(await screen.findByRole('button', { name: 'Edit For Nell' }));
    expect(screen.getByLabelText<HTMLTextAreaElement>('Message Title *').value).toBe('For Nell');
    await pasteInto(screen.getByLabelText('Passphrase'), first);
    await userEvent.click(button('Open the letter'));
    await pasteInto(await screen.findByLabelText('Hint for them'), hint);
    await userEvent.click(button('Save as Draft'));
    await saved();
    const made = sent(`PUT /api/messages/${nell.id}`);
    expect(made.title).toBe('A sealed letter');
    expect(await openLetter(made.encryptedContent, first)).toEqual({ title: 'For Nell', content });
  });

  it('opens with its passphrase alone, and is sealed again when it is saved', async () => {
    const sealed = await haveSealed();
    service.answers[`PUT /api/messages/${nell.id}`] = ok(nell);
    openAtOnce();
    await userEvent.click(await screen.findByRole('button', { name: 'Edit A sealed letter' }));
    await pasteInto(screen.getByLabelText('Passphrase'), 'the apple tree');
    await userEvent.click(button('Open the letter'));
    expect(await screen.findByText(/That does not open it/)).toBeDefined();
    await userEvent.clear(screen.getByLabelText('Passphrase'));
    await pasteInto(screen.getByLabelText('Passphrase'), passphrase);
    await userEvent.click(button('Open the letter'));
    const letter = await screen.findByLabelText<HTMLTextAreaElement>('Message Content *');
    expect(letter.value).toBe(words);
    expect(screen.getByLabelText<HTMLTextAreaElement>('Message Title *').value).toBe(title);
    await pasteInto(letter, ' And the key.');
    await userEvent.click(button('Save as Draft'));
    await saved();
    const { encryptedContent } = sent(`PUT /api/messages/${nell.id}`);
    expect(encryptedContent.ciphertext).not.toBe(sealed.ciphertext);
    expect(encryptedContent.hint).toBe(hint);
    expect(await openLetter(encryptedContent, passphrase)).toEqual({ title, content: `${words} And the key.` });
  });

  it('can be read once it is delivered, with the passphrase', async () => {
    await haveSealed({ status: 'delivered', deliveredAt: daysFromNow(-1) });
    openAtOnce();
    await userEvent.click(await screen.findByRole('button', { name: 'Read A sealed letter' }));
    const dialog = within(screen.getByRole('dialog'));
    expect(dialog.getByText(hint, { exact: false })).toBeDefined();
    await pasteInto(dialog.getByLabelText('Passphrase'), passphrase);
    await userEvent.click(dialog.getByRole('button', { name: 'Open the letter' }));
    expect(await dialog.findByText(words)).toBeDefined();
    expect(dialog.getByRole('heading', { name: title })).toBeDefined();
  });
});
