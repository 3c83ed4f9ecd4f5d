import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Enclosure } from '#shared/contract/letters/enclosures.ts';
import { pasteInto } from '#tests/support/paste-into.ts';
import { fileOf, startUploads, type Uploads } from '#web/lib/api/upload.test-world.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { MessagesPage } from './messages.tsx';
import { idOf, messageOf, ok, openPage, type Service, sam, startVault } from './vault.test-world.ts';

const voice: Enclosure = {
  id: idOf(50),
  kind: 'voice',
  name: 'voice.m4a',
  sizeBytes: 1_900_000,
  mimeType: 'audio/mp4',
  caption: 'Reading it to you',
  transcript: '',
  position: 1,
  afterParagraph: null,
  pictureSize: null,
  original: null,
};
const plain = messageOf();
const spoken = messageOf({ id: idOf(13), title: 'The cake', enclosures: [voice] });
const place = `/api/messages/${spoken.id}/enclosures/${voice.id}`;

let service: Service;
let uploads: Uploads;
beforeEach(() => {
  service = startVault();
  uploads = startUploads();
  service.answers['GET /api/messages'] = ok([plain, spoken]);
});
afterEach(() => {
  service.stop();
  uploads.stop();
});

const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name });
const choose = (file: File) =>
  userEvent.upload(screen.getByLabelText('Use a recording I have'), file, { applyAccept: false });
const toldOf = (expected: Record<string, unknown>) => waitFor(() => expect(currentToasts()[0]).toMatchObject(expected));
const bodyOf = (key: string) => service.calls.findLast((made) => made.key === key)?.body;
const player = () => document.querySelector('audio');

async function open() {
  openPage(MessagesPage, { route: '/messages', at: '/messages' });
  await screen.findByRole('heading', { name: /^\d+ Messages?$/ });
}
async function write() {
  await open();
  await userEvent.click(button('Create Message'));
  await pasteInto(screen.getByLabelText('Message Title *'), 'For Tom');
  await pasteInto(screen.getByLabelText('Message Content *'), 'Look after the boat.');
  await pasteInto(screen.getByLabelText('Recipient Email *'), 'tom@post.example');
}
async function edit() {
  await open();
  await userEvent.click(
    within(screen.getByText('The cake').closest('li') as HTMLElement).getByRole('button', { name: /Edit/ }),
  );
  await screen.findByLabelText('Words above it');
}

describe('A voice for a letter', () => {
  it('is chosen, heard, and sent once the letter is stored, with its caption and its transcript', async () => {
    await write();
    await choose(fileOf('memo.m4a', { type: 'audio/mp4', sizeBytes: 1_900_000 }));
    expect(player()?.getAttribute('src')).toMatch(/^blob:/);
    await pasteInto(screen.getByLabelText('Words above it'), 'For Sundays');
    await pasteInto(screen.getByLabelText('What you say, in words'), 'Hello, Tom.');
    service.answers['POST /api/messages'] = ok(plain);
    await userEvent.click(button('Save as Draft'));
    await waitFor(() => expect(uploads.begun).toHaveLength(1));
    const { key, fields, file } = uploads.last();
    expect([key, fields, file.name]).toEqual([
      `POST /api/messages/${plain.id}/enclosures`,
      { caption: 'For Sundays' },
      'memo.m4a',
    ]);
    act(() => uploads.last().sent(1, 4));
    expect(screen.getByText('Uploading memo.m4a')).toBeDefined();
    const added = `/api/messages/${plain.id}/enclosures/${voice.id}`;
    service.answers[`PUT ${added}`] = ok({ ...voice, transcript: 'Hello, Tom.' });
    act(() => uploads.last().answer(201, { ...voice, caption: 'For Sundays' }));
    await toldOf({ title: 'Message Saved' });
    expect(bodyOf(`PUT ${added}`)).toEqual({
      before: { caption: 'For Sundays', transcript: '' },
      caption: 'For Sundays',
      transcript: 'Hello, Tom.',
      afterParagraph: null,
    });
  });

  it('that does not get through leaves the letter stored and itself in the form, and another try sends the rest alone', async () => {
    await write();
    await choose(fileOf('memo.m4a', { type: 'audio/mp4' }));
    service.answers['POST /api/messages'] = ok(plain);
    service.answers[`PUT /api/messages/${plain.id}`] = ok(plain);
    await userEvent.click(button('Save as Draft'));
    await waitFor(() => expect(uploads.begun).toHaveLength(1));
    act(() => uploads.last().answer(507, { message: 'The store is full.' }));
    const told = 'Your letter is saved, but the contents of its envelope are not. Save it again.';
    await toldOf({ title: 'Error', description: told, variant: 'destructive' });
    expect(screen.getByText(new RegExp(`^The store is full. ${told}$`))).toBeDefined();
    expect(player()).not.toBeNull();

    await userEvent.click(button('Save as Draft'));
    await waitFor(() => expect(uploads.begun).toHaveLength(2));
    act(() => uploads.last().answer(201, { ...voice, caption: '' }));
    await toldOf({ title: 'Message Saved' });
    expect([service.count('POST /api/messages'), service.count(`PUT /api/messages/${plain.id}`)]).toEqual([1, 1]);
  });

  it.each([
    ['a text', fileOf('notes.txt'), 'Please select a recording: mp3, m4a, ogg, webm or wav, up to 25 MB.'],
    ['one too large', fileOf('long.mp3', { sizeBytes: 25_000_001 }), 'Please select a recording smaller than 25MB.'],
    [
      'one without a sound',
      fileOf('a.mp3', { sizeBytes: 0 }),
      'There is nothing in this file. Please select another one.',
    ],
  ])('is refused where it is %s, with a sentence at its place', async (_, file, sentence) => {
    await write();
    await choose(file);
    expect(screen.getAllByRole('alert').map(({ textContent }) => textContent)).toContain(sentence);
    expect(player()).toBeNull();
  });

  it('is spoken of, and not taken, on the free plan', async () => {
    service.answers['GET /api/auth/user'] = ok({ ...sam, plan: 'free' });
    await write();
    expect(screen.getByText(/with the Essential plan or higher\.$/)).toBeDefined();
    expect(screen.queryByLabelText('Use a recording I have')).toBeNull();
  });
});

describe('A voice that is stored', () => {
  it('shows in the list, is heard in the form, and stays where nothing is changed', async () => {
    await edit();
    expect(player()?.getAttribute('src')).toBe(place);
    expect(screen.getByText('With your voice')).toBeDefined();
    service.answers[`PUT /api/messages/${spoken.id}`] = ok(spoken);
    await userEvent.click(button('Save as Draft'));
    await toldOf({ title: 'Message Updated' });
    expect(service.count(`PUT ${place}`)).toBe(0);
    expect(uploads.begun).toEqual([]);
  });

  it('has other words, or goes, once the letter is saved', async () => {
    await edit();
    const words = screen.getByLabelText('Words above it');
    await userEvent.clear(words);
    await userEvent.type(words, 'Mum');
    service.answers[`PUT /api/messages/${spoken.id}`] = ok(spoken);
    service.answers[`PUT ${place}`] = ok({ ...voice, caption: 'Mum' });
    await userEvent.click(button('Save as Draft'));
    await waitFor(() =>
      expect(bodyOf(`PUT ${place}`)).toEqual({
        before: { caption: 'Reading it to you', transcript: '' },
        caption: 'Mum',
        transcript: '',
        afterParagraph: null,
      }),
    );
  });

  it('is taken out, even where another page has taken it out meanwhile', async () => {
    await edit();
    await userEvent.click(button('Take it out'));
    expect(player()).toBeNull();
    service.answers[`PUT /api/messages/${spoken.id}`] = ok(spoken);
    service.answers[`DELETE ${place}`] = { status: 404, body: { message: 'Not found', type: 'NOT_FOUND' } };
    await userEvent.click(button('Save as Draft'));
    await toldOf({ title: 'Message Updated' });
    expect(service.count(`DELETE ${place}`)).toBe(1);
  });

  it('stands in the preview as the reader has it', async () => {
    await edit();
    await userEvent.click(button('See it as they will'));
    const preview = document.querySelector('.reading') as HTMLElement;
    expect(preview.querySelector('audio')?.getAttribute('src')).toBe(place);
    expect(within(preview).getByText('Reading it to you')).toBeDefined();
  });
});
