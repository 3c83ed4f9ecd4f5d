import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Enclosure } from '#shared/contract/letters/enclosures.ts';
import type { SealedLetter } from '#shared/contract/messages.ts';
import { pasteInto } from '#tests/support/paste-into.ts';
import { fileOf, startUploads, type Uploads } from '#web/lib/api/upload.test-world.ts';
import { openLetter, sealLetter } from '#web/lib/sealing/letter-seal.ts';
import { openEnvelope, type Packed, sealEnvelope } from '#web/lib/sealing/sealed-envelope.ts';
import { currentToasts, toast } from '#web/lib/toast.ts';
import { nell, open, openAtOnce, startMessages } from './messages.test-world.tsx';
import { messageOf, ok, refused, type Service } from './vault.test-world.ts';

const passphrase = 'the lemon tree';
const hint = 'What stood in the yard?';
const file = `GET /api/messages/${nell.id}/attachment`;
const change = `PUT /api/messages/${nell.id}`;
const voice: Packed = {
  kind: 'voice',
  file: new File(['hum'], 'for nell.m4a'),
  caption: 'Good night',
  transcript: 'Sleep well.',
  afterParagraph: null,
};
const will: Packed = { ...voice, kind: 'file', file: new File(['%PDF-'], 'will.pdf'), caption: '', transcript: '' };

let service: Service;
let uploads: Uploads;
beforeEach(() => {
  service = startMessages();
  uploads = startUploads();
});
afterEach(() => {
  service.stop();
  uploads.stop();
  toast({ title: 'Nothing yet' });
});

const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name });
const saved = () => waitFor(() => expect(currentToasts()[0]?.title).toMatch(/^Message (Saved|Updated)$/));
const bodyOf = (key: string) =>
  service.calls.find((made) => made.key === key)?.body as {
    encryptedContent: SealedLetter | null;
    hasAttachment?: boolean;
  };
const uploaded = () => waitFor(() => expect(uploads.begun).toHaveLength(1));

/** Contents of an upload, opened with the passphrase. */
async function insideOf({ fields, file: sealed }: ReturnType<Uploads['last']>) {
  const opened = await openLetter(JSON.parse(fields.encryptedContent ?? '') as SealedLetter, passphrase);
  const packed = await openEnvelope(sealed, opened?.fileKey ?? '');
  return {
    opened,
    packed: packed.map(({ kind, caption, transcript, file: { name } }) => ({ kind, caption, transcript, name })),
  };
}

/** A letter in the list, sealed together with the contents of its envelope. */
async function haveSealed(packed: readonly Packed[]) {
  const { file: envelope, fileKey } = await sealEnvelope(packed);
  const inside = { title: 'About the attic', content: 'The blue tin.', fileKey };
  const sealed = messageOf({
    title: 'A sealed letter',
    content: '',
    encryptedContent: await sealLetter(inside, { passphrase, hint }),
    hasAttachment: true,
    attachmentOriginalName: 'envelope.sealed',
    attachmentMimeType: 'application/octet-stream',
  });
  service.answers['GET /api/messages'] = ok([sealed]);
  service.answers[file] = ok(await envelope.arrayBuffer());
  service.answers[change] = ok(sealed);
  return { fileKey, sealed };
}
async function edit() {
  openAtOnce();
  await userEvent.click(await screen.findByRole('button', { name: 'Edit A sealed letter' }));
}
async function openIt() {
  await pasteInto(screen.getByLabelText('Passphrase'), passphrase);
  await userEvent.click(button('Open the letter'));
}
async function openWithEnvelope(packed: readonly Packed[]) {
  const made = await haveSealed(packed);
  await edit();
  await openIt();
  await screen.findByLabelText('Words above it');
  return made;
}

describe('The envelope of a letter with a passphrase', () => {
  it('is sealed with it: voice, file, words and names go as one file that opens with the passphrase alone', async () => {
    await open();
    await userEvent.click(button('Create Message'));
    await pasteInto(await screen.findByLabelText('Message Title *'), 'About the attic');
    await pasteInto(screen.getByLabelText('Message Content *'), 'The blue tin.');
    await pasteInto(screen.getByLabelText('Recipient Email *'), 'tom@post.example');
    await userEvent.upload(screen.getByLabelText('Use a recording I have'), fileOf('lullaby.m4a'), {
      applyAccept: false,
    });
    await pasteInto(screen.getByLabelText('Words above it'), 'Good night');
    await pasteInto(screen.getByLabelText('What you say, in words'), 'Sleep well.');
    await userEvent.upload(screen.getByLabelText('Attachment'), fileOf('recipe.pdf'), { applyAccept: false });
    await userEvent.click(screen.getByLabelText(/Seal the letter with a passphrase/));
    await pasteInto(screen.getByLabelText('Passphrase'), passphrase);
    await pasteInto(screen.getByLabelText('Hint for them'), hint);
    await userEvent.click(button('Save & Ready to Send'));
    await uploaded();
    const sent = uploads.last();
    expect([sent.key, sent.file.name]).toEqual([
      'POST /api/messages/with-attachment',
      expect.stringMatching(/^envelope-[0-9a-f]{8}\.sealed$/),
    ]);
    expect(await insideOf(sent)).toMatchObject({
      opened: { title: 'About the attic', content: 'The blue tin.' },
      packed: [
        { kind: 'voice', caption: 'Good night', transcript: 'Sleep well.', name: 'lullaby.m4a' },
        { kind: 'file', name: 'recipe.pdf' },
      ],
    });
    const { encryptedContent: _, ...clear } = sent.fields;
    for (const secret of ['attic', 'blue tin', 'night', 'Sleep', 'lullaby', 'recipe'])
      expect(JSON.stringify([clear, service.calls])).not.toContain(secret);
    sent.answer(201, { ...nell, encryptedContent: JSON.parse(sent.fields.encryptedContent ?? '') });
    await saved();
    expect(uploads.begun).toHaveLength(1);
  });

  it('shows nothing before the letter is opened, and stays where that does not happen', async () => {
    const { sealed } = await haveSealed([voice, will]);
    await edit();
    expect(screen.getByText('Open the letter to see the contents of its envelope, or to change them.')).toBeDefined();
    expect([screen.queryByLabelText('Attachment'), screen.queryByText(/envelope\.sealed/)]).toEqual([null, null]);
    await userEvent.click(button('Save & Ready to Send'));
    await saved();
    expect(bodyOf(change)).toMatchObject({
      encryptedContent: sealed.encryptedContent,
      hasAttachment: true,
      sealedFile: 'envelope.sealed',
    });
    expect(service.count(file)).toBe(0);
  });

  it('opens with the letter, and is sent once more only where something in it has changed', async () => {
    const { fileKey } = await openWithEnvelope([voice, will]);
    expect(screen.getByLabelText<HTMLInputElement>('Words above it').value).toBe('Good night');
    expect(screen.getByText('will.pdf')).toBeDefined();
    await pasteInto(screen.getByLabelText('Message Content *'), ' And the red one.');
    await userEvent.click(button('Save & Ready to Send'));
    await saved();
    const { encryptedContent, hasAttachment } = bodyOf(change);
    expect(hasAttachment).toBe(true);
    expect(await openLetter(encryptedContent as SealedLetter, passphrase)).toMatchObject({
      content: 'The blue tin. And the red one.',
      fileKey,
    });
    expect(uploads.begun).toEqual([]);
  });

  it('is sealed again, under another key, once its contents change', async () => {
    const { fileKey } = await openWithEnvelope([voice, will]);
    await pasteInto(screen.getByLabelText('Words above it'), ', Nell');
    await userEvent.click(button('Save & Ready to Send'));
    await uploaded();
    const { opened, packed } = await insideOf(uploads.last());
    expect(opened?.fileKey).not.toBe(fileKey);
    expect(packed).toMatchObject([{ caption: 'Good night, Nell' }, { name: 'will.pdf' }]);
  });

  it('is removed with its last content, and sealed contents end with the passphrase', async () => {
    await openWithEnvelope([voice]);
    await userEvent.click(button('Take it out'));
    await userEvent.click(button('Save & Ready to Send'));
    await saved();
    expect(bodyOf(change).hasAttachment).toBe(false);
  });

  describe('after the passphrase is removed', () => {
    const place = `PUT /api/messages/${nell.id}/enclosures/0b0f6a52-1111-4111-8111-111111111111`;
    const stored: Enclosure = {
      ...{ id: '0b0f6a52-1111-4111-8111-111111111111', kind: 'voice', name: 'for nell.m4a', sizeBytes: 3 },
      ...{ mimeType: 'audio/mp4', caption: 'Good night', transcript: '', position: 1, afterParagraph: null },
      pictureSize: null,
      original: null,
    };
    async function takeOff() {
      const { sealed } = await openWithEnvelope([voice]);
      service.answers[change] = ok({ ...sealed, encryptedContent: null, enclosures: [stored] });
      service.answers[place] = ok(stored);
      await userEvent.click(screen.getByLabelText(/Seal the letter with a passphrase/));
      await userEvent.click(button('Save & Ready to Send'));
      await uploaded();
      return uploads.last();
    }

    it('lies in the clear before the words that take it in: the sealed file goes then, and not before', async () => {
      const upload = await takeOff();
      expect([upload.key, upload.file.name, upload.fields]).toEqual([
        `POST /api/messages/${nell.id}/enclosures?asTaken=true`,
        'for nell.m4a',
        { caption: 'Good night', staging: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      ]);
      expect(bodyOf(change)).toBeUndefined();
      upload.answer(201, stored);
      await saved();
      expect(bodyOf(change)).toMatchObject({
        ...{ encryptedContent: null, hasAttachment: false, sealedFile: 'envelope.sealed' },
        staged: [stored.id],
      });
      expect(uploads.begun).toHaveLength(1);
    });

    it('leaves the letter as it is where something can’t be put in, and goes on from there', async () => {
      const upload = await takeOff();
      upload.loseConnection();
      await waitFor(() => expect(currentToasts()[0]?.title).toBe('Error'));
      expect(bodyOf(change)).toBeUndefined();
      await userEvent.click(button('Save & Ready to Send'));
      await waitFor(() => expect(uploads.begun).toHaveLength(2));
      expect(uploads.last().fields.staging).toBe(upload.fields.staging);
      uploads.last().answer(201, stored);
      await saved();
      expect(bodyOf(change)).toMatchObject({ staged: [stored.id] });
    });

    it('is uploaded again if the staged file has expired', async () => {
      const upload = await takeOff();
      service.answers[change] = refused(409, 'The contents of the envelope are no longer there.');
      upload.answer(201, stored);
      await screen.findByText(/are no longer there/);
      await userEvent.click(button('Save & Ready to Send'));
      await waitFor(() => expect(uploads.begun).toHaveLength(2));
      expect(uploads.last().fields.staging).not.toBe(upload.fields.staging);
    });
  });

  it('is never lost where it can’t be opened: it is said, tried again, and left as it is', async () => {
    const { fileKey } = await haveSealed([voice]);
    const there = service.answers[file];
    service.answers[file] = refused(503, 'The store is away.');
    await edit();
    await openIt();
    await screen.findByText(/could not be opened\. They are still there/);
    await userEvent.click(button('Save & Ready to Send'));
    await saved();
    expect(bodyOf(change).hasAttachment).toBe(true);
    const { encryptedContent } = bodyOf(change);
    expect((await openLetter(encryptedContent as SealedLetter, passphrase))?.fileKey).toBe(fileKey);
    expect(there).toBeDefined();
    expect(bodyOf(change)).toMatchObject({ sealedFile: 'envelope.sealed' });
  });

  it('is not taken away with the passphrase where it could not be opened', async () => {
    await haveSealed([voice]);
    service.answers[file] = 'unreachable';
    await edit();
    await openIt();
    await screen.findByText(/could not be opened\. They are still there/);
    await userEvent.click(screen.getByLabelText(/Seal the letter with a passphrase/));
    service.answers[change] = refused(
      409,
      'The file of this letter is sealed with a passphrase, and its words are not.',
    );
    await userEvent.click(button('Save & Ready to Send'));
    await screen.findByText(/is sealed with a passphrase, and its words are not/);
    expect(bodyOf(change)).toMatchObject({ encryptedContent: null, hasAttachment: true });
  });

  it('is removed if the letter is written again, with a warning before it is saved', async () => {
    await haveSealed([voice]);
    await edit();
    await userEvent.click(button('Write it again'));
    expect(screen.getByText(/open only with the old words\. They are removed when you save/)).toBeDefined();
    expect(service.count(file)).toBe(0);
  });

  it('opens at another try', async () => {
    await haveSealed([voice]);
    const there = service.answers[file];
    service.answers[file] = 'unreachable';
    await edit();
    await openIt();
    await screen.findByText(/could not be opened\. They are still there/);
    if (there) service.answers[file] = there;
    await userEvent.click(button('Try again'));
    expect(await screen.findByLabelText<HTMLInputElement>('Words above it')).toHaveProperty('value', 'Good night');
  });
});
