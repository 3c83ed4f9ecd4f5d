import { fireEvent, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pasteInto } from '#tests/support/paste-into.ts';
import { firstSealed } from '#web/lib/sealing/letter-seal.test-world.ts';
import { sealLetter } from '#web/lib/sealing/letter-seal.ts';
import { sealEnvelope } from '#web/lib/sealing/sealed-envelope.ts';
import { openPage, type Service, startService } from '#web/pages/pages.test-world.tsx';
import { LetterPage } from './letter.tsx';

const token = 'a'.repeat(43);
const read = `GET /api/message-delivery/${token}`;
const renew = `POST /api/message-delivery/${token}/renew`;
const letter = {
  title: 'For Nell, when it is time',
  content: 'Dear Nell,\n\nPut the kettle on first.\nThen read.\n\nDad',
  encryptedContent: null,
  createdAt: '2026-03-02T10:00:00.000Z',
  deliveredAt: '2026-09-10T09:00:00.000Z',
  expiresAt: '2026-10-10T09:00:00.000Z',
  senderName: 'Sam Ashworth',
  recipientName: 'Nell Ashworth',
  openedAt: '2026-09-11T09:00:00.000Z',
  attachment: null,
  enclosures: [],
  alsoFor: [],
  letters: [],
  all: { letters: 0, opened: 0 },
};

let service: Service;
beforeEach(() => {
  service = startService();
  service.answers[read] = { status: 200, body: letter };
});
afterEach(() => service.stop());

const open = (at: string) => openPage(LetterPage, { route: '/message/:token?', at });

const notFoundBody = { message: 'This message may have expired or been removed.', type: 'NOT_FOUND' };

const days = { keptUntil: '2026-10-10T09:00:00.000Z' };
const three = [
  {
    token: 'b'.repeat(43),
    title: 'Read this first',
    position: 1,
    sealed: false,
    enclosures: 0,
    openedAt: days.keptUntil,
    ...days,
  },
  { token, title: letter.title, position: 2, sealed: false, enclosures: 0, openedAt: null, ...days },
  {
    token: 'c'.repeat(43),
    title: 'A sealed letter',
    position: 3,
    sealed: true,
    enclosures: 0,
    openedAt: null,
    ...days,
  },
];
/** Letters of an answer, all of this person. */
const listed = (letters: readonly { openedAt: string | null }[]) => ({
  letters,
  all: { letters: letters.length, opened: letters.filter(({ openedAt }) => openedAt !== null).length },
});
const pressed = (button: HTMLElement) => {
  const form = button.closest('form');
  return [form?.getAttribute('method'), form?.getAttribute('action')];
};

describe('the threshold before a letter', () => {
  it('is its envelope: who wrote it, the name, until when it is kept, and a form that posts', async () => {
    service.answers[read] = { status: 200, body: { ...letter, openedAt: null, ...listed(three.slice(1, 2)) } };
    open(`/message/${token}`);
    expect(await screen.findByRole('heading', { level: 1, name: 'Sam Ashworth wrote this for you' })).toBeTruthy();
    expect(screen.getByText('Nell')).toBeTruthy();
    expect(screen.getByText(/It is kept for you until/).textContent).toContain('10\u00a0October\u00a02026');
    expect(pressed(screen.getByRole('button', { name: 'Open it when you are ready' }))).toEqual([
      'post',
      `/message/${token}`,
    ]);
    expect(document.body.textContent).not.toContain('Put the kettle on');
    expect(
      service.calls.map(({ key }) => key),
      'coming here records nothing',
    ).toEqual([read]);
  });

  it('has one page for all letters of a person, in the order in which they were to be read', async () => {
    service.answers[read] = { status: 200, body: { ...letter, openedAt: null, ...listed(three) } };
    open(`/message/${token}`);
    expect(
      await screen.findByRole('heading', { level: 1, name: 'Nell, Sam Ashworth wrote three letters for you' }),
    ).toBeTruthy();
    expect(screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent)).toEqual([
      'Read this first',
      letter.title,
      'A sealed letter',
    ]);
    expect(screen.getByRole('link', { name: 'Read it again: Read this first' }).getAttribute('href')).toBe(
      `/message/${'b'.repeat(43)}?open`,
    );
    const next = screen.getByRole('button', { name: `Open it when you are ready: ${letter.title}` });
    expect([next.className, ...pressed(next)]).toEqual(['btn btn-1', 'post', `/message/${token}`]);
    expect(screen.getByRole('button', { name: 'Open it: A sealed letter' }).className).toBe('btn btn-2');
    expect(screen.getByText(/All three are kept for you until/)).toBeTruthy();
  });

  it('lists the letters around this one if there are very many, and leads to those before and after them', async () => {
    const some = three.map((each) => ({ ...each, position: each.position + 100 }));
    service.answers[read] = { status: 200, body: { ...letter, letters: some, all: { letters: 2_000, opened: 1 } } };
    open(`/message/${token}`);
    expect(await screen.findByRole('heading', { level: 1, name: /wrote 2,000 letters for you$/ })).toBeTruthy();
    expect(screen.getByText(/^These are letters 101 to 103 of 2,000/)).toBeTruthy();
    const [before, after] = ['Earlier letters', 'Later letters'].map((name) => screen.getByRole('link', { name }));
    expect(before?.getAttribute('href')).toBe(`/message/${'b'.repeat(43)}`);
    expect(after?.getAttribute('href')).toBe(`/message/${'c'.repeat(43)}`);
    expect(screen.queryByText(/kept for you until/), 'not said of letters that are not listed').toBeNull();
  });

  it('is the envelope of the one that was chosen, while that is not opened', async () => {
    service.answers[read] = { status: 200, body: { ...letter, openedAt: null, ...listed(three) } };
    open(`/message/${token}?open`);
    expect(await screen.findByRole('heading', { level: 1, name: 'Sam Ashworth wrote this for you' })).toBeTruthy();
  });

  it('says “For you” where its writer gave no name, and no part of an address', async () => {
    service.answers[read] = { status: 200, body: { ...letter, recipientName: null, openedAt: null } };
    open(`/message/${token}`);
    expect(await screen.findByText('For you')).toBeTruthy();
  });
});

describe('the letter', () => {
  it('offers a web page to save if a PDF cannot show all of it', async () => {
    service.answers[read] = { status: 200, body: { ...letter, content: 'ᏣᎳᎩ', pdfIsWhole: false } };
    open(`/message/${token}?open`);
    const offered = await screen.findByRole('link', { name: 'Save as a web page' });
    expect(offered.getAttribute('href')).toBe(`/api/message-delivery/${token}/copy?as=page`);
    expect(screen.getByText(/A PDF cannot show some characters of this letter/)).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Save a copy' })).toBeTruthy();
  });

  it('offers the PDF alone if that shows all of it', async () => {
    open(`/message/${token}?open`);
    expect(await screen.findByRole('link', { name: 'Save a copy' })).toBeTruthy();
    expect(screen.queryByRole('link', { name: 'Save as a web page' })).toBeNull();
  });

  it('leads to every other letter that the same writer left for this person', async () => {
    const letters = [
      {
        token: 'b'.repeat(43),
        title: 'Read this first',
        position: 1,
        sealed: false,
        enclosures: 0,
        openedAt: null,
        ...days,
      },
      { token, title: letter.title, position: 2, sealed: false, enclosures: 0, openedAt: null, ...days },
      {
        token: 'c'.repeat(43),
        title: 'The recipe',
        position: 3,
        sealed: true,
        enclosures: 0,
        openedAt: days.keptUntil,
        ...days,
      },
    ];
    service.answers[read] = { status: 200, body: { ...letter, ...listed(letters) } };
    open(`/message/${token}?open`);
    const others = await screen.findByRole('navigation', { name: 'More from Sam Ashworth for you' });
    expect(others.textContent).toContain('This is letter 2 of 3');
    const links = screen.getAllByRole('link', { name: /Read this first|The recipe/ });
    expect(links.map((link) => link.getAttribute('href'))).toEqual([
      `/message/${'b'.repeat(43)}?open`,
      `/message/${'c'.repeat(43)}?open`,
    ]);
    expect(others.textContent).toContain('Sealed with a passphrase. Opened, kept until 10 October 2026');
  });

  it('names for whom else it is where its writer lets its readers see that', async () => {
    service.answers[read] = { status: 200, body: { ...letter, alsoFor: ['Tom', 'priya@post.example'] } };
    open(`/message/${token}`);
    expect(await screen.findByText('Tom, priya@post.example')).toBeTruthy();
    expect(screen.queryByRole('navigation')).toBeNull();
  });

  it('shows writer, title, dates and paragraphs, and that it is deleted automatically', async () => {
    open(`/message/${token}`);
    expect(screen.getByRole('status', { name: 'Loading the message' })).toBeTruthy();
    expect(await screen.findByRole('heading', { level: 1, name: letter.title })).toBeTruthy();
    const article = screen.getByRole('article').textContent;
    expect(article).toContain('Sam Ashworth wrote this for you');
    expect(article).toContain('Written 2 March 2026');
    expect(article).toContain('Delivered 10 September 2026');
    expect(document.querySelectorAll('.letter > p')).toHaveLength(3);
    expect(document.querySelector('.letter > .sign')?.textContent).toBe('Dad');
    expect(screen.getByText(/deleted automatically after 30 days/)).toBeTruthy();
    await waitFor(() => expect(document.title).toContain(letter.title));
  });

  it('names whom to call, in Scotland as well', async () => {
    open(`/message/${token}`);
    await screen.findByRole('article');
    const lines = [...document.querySelectorAll('a[href^="tel:"]')].map((line) => line.getAttribute('href'));
    expect(lines).toEqual(['tel:08088081677', 'tel:08088026161']);
    expect(screen.getByText(/In Scotland, it is Cruse Scotland/)).toBeTruthy();
  });

  it('shows markup in a letter as the words it is', async () => {
    service.answers[read] = {
      status: 200,
      body: { ...letter, content: '<img src=x onerror=alert(1)>', title: '<b>Bold</b>' },
    };
    open(`/message/${token}`);
    expect(await screen.findByText('<img src=x onerror=alert(1)>')).toBeTruthy();
    expect(document.querySelector('.letter img, h1 b')).toBeNull();
  });

  it('that its writer sealed opens with the passphrase, in the browser, and then shows the title that was sealed', async () => {
    const { title, content } = letter;
    const encryptedContent = await sealLetter({ title, content }, { passphrase: 'lemon tree', hint: 'In the yard' });
    const sealed = { ...letter, title: 'A sealed letter', content: '', encryptedContent };
    service.answers[read] = { status: 200, body: sealed };
    open(`/message/${token}`);
    expect(await screen.findByRole('heading', { level: 1, name: 'A sealed letter' })).toBeTruthy();
    await pasteInto(await screen.findByLabelText('Passphrase'), 'apple tree');
    expect(screen.getByText('In the yard', { exact: false })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Save a copy' })).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Open the letter' }));
    expect(await screen.findByText(/That does not open it/)).toBeTruthy();
    await userEvent.clear(screen.getByLabelText('Passphrase'));
    await pasteInto(screen.getByLabelText('Passphrase'), 'Lemon-Tree!');
    await userEvent.click(screen.getByRole('button', { name: 'Open the letter' }));
    expect(await screen.findByText('Dear Nell,')).toBeTruthy();
    expect(screen.getByRole('heading', { level: 1, name: title })).toBeTruthy();
    expect(document.title, 'which the browser keeps in its history').not.toContain(title);
    expect(screen.getByRole('button', { name: 'Save a copy' })).toBeTruthy();
    expect(JSON.stringify(service.calls)).not.toMatch(/lemon/i);
  });

  it('a sealed letter shows its enclosures once it is open, and nothing of them before', async () => {
    const voice = { kind: 'voice' as const, caption: 'Good night', transcript: 'Sleep well.', afterParagraph: null };
    const { file, fileKey } = await sealEnvelope([
      { ...voice, file: new File(['hum'], 'for nell.m4a') },
      { ...voice, kind: 'file', file: new File(['%PDF-'], 'will.pdf'), caption: '', transcript: '' },
    ]);
    const inside = { title: 'About the attic', content: 'The blue tin.', fileKey };
    const encryptedContent = await sealLetter(inside, { passphrase: 'lemon tree', hint: 'In the yard' });
    const attachment = { name: 'envelope.sealed', sizeBytes: 9, mimeType: 'application/octet-stream', transcript: '' };
    service.answers[read] = { status: 200, body: { ...letter, content: '', encryptedContent, attachment } };
    const sealed = `GET /api/message-delivery/${token}/attachment`;
    service.answers[sealed] = 'unreachable';
    open(`/message/${token}`);
    await pasteInto(await screen.findByLabelText('Passphrase'), 'Lemon tree');
    expect(screen.queryByText(/envelope\.sealed/)).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Open the letter' }));
    await screen.findByText('The blue tin.');
    await screen.findByText(/The contents of the envelope could not be opened/);
    service.answers[sealed] = { status: 200, body: await file.arrayBuffer() };
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect((await screen.findByLabelText('Good night')).getAttribute('src')).toMatch(/^blob:/);
    expect(screen.getByText('Sleep well.')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Save the document' }).getAttribute('download')).toBe('will.pdf');
    expect(screen.queryByText(/envelope\.sealed/)).toBeNull();
  });

  it('that was sealed without its title still opens, and keeps the title it has', async () => {
    const { sealed: encryptedContent, passphrase, content } = firstSealed;
    service.answers[read] = { status: 200, body: { ...letter, content: '', encryptedContent } };
    open(`/message/${token}`);
    await pasteInto(await screen.findByLabelText('Passphrase'), passphrase);
    await userEvent.click(screen.getByRole('button', { name: 'Open the letter' }));
    expect(await screen.findByText(content)).toBeTruthy();
    expect(screen.getByRole('heading', { level: 1, name: letter.title })).toBeTruthy();
  });

  it('can be saved as a PDF, without a script too, alone and with all others of this person', async () => {
    const openedAt = '2026-04-01T09:00:00.000Z';
    const opened = three.map((each) => ({ ...each, openedAt }));
    service.answers[read] = { status: 200, body: { ...letter, ...listed(opened) } };
    open(`/message/${token}?open`);
    const save = await screen.findByRole('link', { name: 'Save a copy' });
    expect(save.getAttribute('href')).toBe(`/api/message-delivery/${token}/copy`);
    const all = screen.getByRole('link', { name: 'Save all of them in one PDF' });
    expect(all.getAttribute('href')).toBe(`/api/message-delivery/${token}/copy?all=true`);
  });

  it('offers a copy of the opened letters alone while others are unopened', async () => {
    const letters = three.map((each, index) => ({ ...each, openedAt: index < 2 ? '2026-04-01T09:00:00.000Z' : null }));
    service.answers[read] = { status: 200, body: { ...letter, ...listed(letters) } };
    open(`/message/${token}?open`);
    expect(await screen.findByRole('link', { name: 'Save the 2 opened letters in one PDF' })).toBeDefined();
  });

  it('that was sealed is saved as a page of its own, made in the browser', async () => {
    const blobs: Blob[] = [];
    const names: string[] = [];
    const { createObjectURL } = URL;
    const { click } = HTMLAnchorElement.prototype;
    URL.createObjectURL = (blob) => `blob:${blobs.push(blob as Blob)}`;
    HTMLAnchorElement.prototype.click = function () {
      names.push(this.download);
    };
    const { sealed: encryptedContent, passphrase, content } = firstSealed;
    service.answers[read] = { status: 200, body: { ...letter, content: '', encryptedContent } };
    open(`/message/${token}`);
    await pasteInto(await screen.findByLabelText('Passphrase'), passphrase);
    await userEvent.click(screen.getByRole('button', { name: 'Open the letter' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Save a copy' }));
    URL.createObjectURL = createObjectURL;
    HTMLAnchorElement.prototype.click = click;

    expect(names).toEqual(['For Nell, when it is time.html']);
    expect(await blobs[0]?.text()).toContain(content);
    expect(screen.queryByRole('link', { name: 'Save a copy' })).toBeNull();
  });
});

describe('a link without a letter', () => {
  it('says so where the letter is there and damaged', async () => {
    const damaged = { ...letter, title: 'This could not be opened', content: '', isDamaged: true, ...listed(three) };
    service.answers[read] = { status: 200, body: damaged };
    open(`/message/${token}?open`);
    expect(await screen.findByRole('heading', { level: 1, name: 'This could not be opened' })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Read this first' }), 'the others are still there').toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Send me a new link' })).toBeNull();
  });

  it('is invalid where the token is missing, and nothing is asked', () => {
    open('/message');
    expect(screen.getByRole('heading', { level: 1, name: 'Invalid Link' })).toBeTruthy();
    expect(service.calls).toEqual([]);
  });

  it('says that the message may have expired, and offers a new link', async () => {
    service.answers[read] = { status: 404, body: notFoundBody };
    service.answers[renew] = { status: 200, body: { message: 'It is on its way.' } };
    open(`/message/${token}`);
    expect(await screen.findByRole('heading', { level: 1, name: 'Message Not Found' })).toBeTruthy();
    expect(screen.getByText('This message may have expired or been removed.')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Send me a new link' }));
    expect(await screen.findByText('It is on its way.')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Send me a new link' })).toBeNull();
  });

  it('keeps the offer where asking for a new link failed', async () => {
    service.answers[read] = { status: 404, body: notFoundBody };
    service.answers[renew] = 'unreachable';
    open(`/message/${token}`);
    await userEvent.click(await screen.findByRole('button', { name: 'Send me a new link' }));
    expect((await screen.findByRole('alert')).textContent).toContain('We could not reach Everkept');
    expect(screen.getByRole('button', { name: 'Send me a new link' })).toBeTruthy();
  });

  it('can be tried again where the service was not reached', async () => {
    service.answers[read] = 'unreachable';
    open(`/message/${token}`);
    expect(await screen.findByRole('heading', { level: 1, name: 'Message Not Found' })).toBeTruthy();
    service.answers[read] = { status: 200, body: letter };
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('heading', { level: 1, name: letter.title })).toBeTruthy();
  });
});

describe('a voice in the envelope of a letter', () => {
  const id = '01a21d02-b292-72c6-b83a-4baca721742d';
  const href = `/api/message-delivery/${token}/enclosures/${id}`;
  const voice = {
    ...{ id, kind: 'voice', name: 'voice.m4a', sizeBytes: 1_900_000, mimeType: 'audio/mp4' },
    ...{ caption: 'Dad, reading it to you', transcript: 'Hello, love.\n\nThat’s the kettle.' },
    ...{ position: 1, afterParagraph: null },
  };
  async function openWith(enclosures: object[]) {
    service.answers[read] = { status: 200, body: { ...letter, enclosures } };
    open(`/message/${token}`);
    await screen.findByRole('heading', { level: 1, name: letter.title });
  }

  it('plays where it is pressed and not by itself, can be saved, and has the words above it that its writer chose', async () => {
    await openWith([voice]);
    const player = document.querySelector('audio');
    expect([player?.getAttribute('src'), player?.autoplay, player?.preload]).toEqual([href, false, 'metadata']);
    expect(await screen.findByRole('button', { name: 'Play: Dad, reading it to you' })).toBeTruthy();
    const save = screen.getByRole('link', { name: 'Save the recording' });
    expect([save.getAttribute('href'), save.getAttribute('download')]).toEqual([href, 'voice.m4a']);
    expect(screen.getByText('1.9 MB')).toBeTruthy();
  });

  it('can be read where its writer has written it down', async () => {
    await openWith([voice]);
    expect(screen.getByText('Read what', { exact: false }).textContent).toBe('Read what Sam Ashworth says');
    expect(screen.getByText('That’s the kettle.')).toBeTruthy();
  });

  it('is called after who speaks where nothing stands above it', async () => {
    await openWith([{ ...voice, caption: '', transcript: '' }]);
    expect(screen.getByText('Sam Ashworth’s voice')).toBeTruthy();
    expect(document.querySelector('.letter details, article details')).toBeNull();
  });

  it('lies beside pictures in the writer’s order, each told by its caption', async () => {
    const picture = { ...voice, id: 'b', kind: 'picture', name: 'garden.png', caption: 'The garden', transcript: '' };
    await openWith([
      { ...picture, position: 1 },
      { ...voice, position: 2 },
      { ...picture, id: 'c', caption: '' },
    ]);
    const shown = [...document.querySelectorAll('figure, audio')].map(({ tagName }) => tagName);
    expect(shown).toEqual(['FIGURE', 'AUDIO', 'FIGURE']);
    expect(screen.getByText('The garden').tagName).toBe('FIGCAPTION');
    expect(screen.getByRole('img', { name: 'A picture, garden.png' })).toBeTruthy();
  });
});

describe('pictures in a letter', () => {
  const picture = (id: string, afterParagraph: number | null) => ({
    ...{ id, kind: 'picture', name: `${id}.png`, sizeBytes: 1, mimeType: 'image/png', caption: id, transcript: '' },
    ...{ position: 1, afterParagraph },
  });
  const shown = () =>
    [...document.querySelectorAll('article .letter > p, article figcaption')].map(({ textContent }) => textContent);

  it('stand where their writer has put them, and at the end where that paragraph is not there any more', async () => {
    const enclosures = [picture('end', null), picture('first', 0), picture('kettle', 2), picture('lost', 9)];
    service.answers[read] = { status: 200, body: { ...letter, enclosures } };
    open(`/message/${token}`);
    await screen.findByRole('heading', { level: 1, name: letter.title });
    const words = ['first', 'Dear Nell,', 'Put the kettle on first.Then read.', 'kettle', 'Dad', 'end', 'lost'];
    expect(shown()).toEqual(words);
    expect([...document.querySelectorAll('article figure img')].map((image) => image.getAttribute('alt'))).toEqual([
      ...['first', 'kettle', 'end', 'lost'],
    ]);
  });
});

describe('the enclosures of a letter', () => {
  const picture = { name: 'lemon-cake-card.jpg', sizeBytes: 2_400_000, mimeType: 'image/jpeg' };
  const href = `/api/message-delivery/${token}/attachment`;
  async function openWith(attachment: typeof picture) {
    service.answers[read] = { status: 200, body: { ...letter, attachment } };
    open(`/message/${token}`);
    await screen.findByRole('heading', { level: 1, name: letter.title });
  }

  it('is named with its size, shown where it is a picture, and can be saved', async () => {
    await openWith(picture);
    expect(screen.getByRole('article').textContent).toContain('lemon-cake-card.jpg2.4 MB, enclosed with the letter');
    expect(screen.getByRole('img', { name: 'The enclosed picture, lemon-cake-card.jpg' }).getAttribute('src')).toBe(
      href,
    );
    const save = screen.getByRole('link', { name: 'Save the picture' });
    expect([save.getAttribute('href'), save.getAttribute('download')]).toEqual([href, 'lemon-cake-card.jpg']);
  });

  it('can be saved where the picture can’t be shown', async () => {
    await openWith(picture);
    fireEvent.error(screen.getByRole('img', { name: /The enclosed picture/ }));
    expect(screen.queryByRole('img', { name: /The enclosed picture/ })).toBeNull();
    expect(document.querySelector('.enclosed svg.thumb')).not.toBeNull();
    expect(screen.getByRole('link', { name: 'Save the picture' })).toBeTruthy();
  });

  it('plays where it is a video, but not by itself', async () => {
    await openWith({ name: 'sea.mp4', sizeBytes: 90_000_000, mimeType: 'video/mp4' });
    const video = document.querySelector('video');
    expect([video?.getAttribute('src'), video?.controls, video?.autoplay]).toEqual([href, true, false]);
    expect(screen.getByRole('link', { name: 'Save the video' })).toBeTruthy();
  });

  it('can be read if their writer added a transcript', async () => {
    const sea = { name: 'sea.mp4', sizeBytes: 90_000_000, mimeType: 'video/mp4', transcript: 'Hello, Nell.' };
    await openWith(sea);
    expect(screen.getByText('Read what is said in it')).toBeTruthy();
    expect(screen.getByText('Hello, Nell.')).toBeTruthy();
  });

  it('is only named where it is a document', async () => {
    await openWith({ name: 'will.pdf', sizeBytes: 812, mimeType: 'application/pdf' });
    expect(document.querySelector('article img, article video, article iframe')).toBeNull();
    expect(screen.getByRole('link', { name: 'Save the document' }).getAttribute('href')).toBe(href);
  });

  it('is not spoken of where there is nothing', async () => {
    open(`/message/${token}`);
    await screen.findByRole('heading', { level: 1, name: letter.title });
    expect(document.querySelector('.enclosed')).toBeNull();
  });
});
