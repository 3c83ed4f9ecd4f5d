import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Enclosure } from '#shared/contract/letters/enclosures.ts';
import { pasteInto } from '#tests/support/paste-into.ts';
import { fileOf, startUploads, type Uploads } from '#web/lib/api/upload.test-world.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { MessagesPage } from './messages.tsx';
import { idOf, messageOf, ok, openPage, type Service, sam, startVault } from './vault.test-world.ts';

const picture = (number: number, caption: string): Enclosure => ({
  id: idOf(60 + number),
  kind: 'picture',
  name: `${caption}.png`,
  sizeBytes: 400_000,
  mimeType: 'image/png',
  caption,
  transcript: '',
  position: number,
  afterParagraph: null,
  pictureSize: null,
  original: null,
});
const [garden, pond, gate] = [picture(1, 'garden'), picture(2, 'pond'), picture(3, 'gate')];
const plain = messageOf();
const shown = messageOf({ id: idOf(13), title: 'The cake', enclosures: [garden, pond, gate] });
const place = ({ id }: Enclosure, of = shown) => `/api/messages/${of.id}/enclosures/${id}`;

let service: Service;
let uploads: Uploads;
beforeEach(() => {
  service = startVault();
  uploads = startUploads();
  service.answers['GET /api/messages'] = ok([plain, shown]);
  standInForDrawing();
});
afterEach(() => {
  service.stop();
  uploads.stop();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** The document of these tests draws nothing: a picture of the size that its name tells is drawn as a few bytes. */
function standInForDrawing() {
  vi.stubGlobal('createImageBitmap', async (file: File) => {
    if (file.name.startsWith('broken')) throw new DOMException('It does not open.', 'InvalidStateError');
    return { width: 4_000, height: 3_000, close: () => undefined };
  });
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue({
    drawImage: () => undefined,
    fillRect: () => undefined,
  } as never);
  vi.spyOn(HTMLCanvasElement.prototype, 'toBlob').mockImplementation(function (this: HTMLCanvasElement, done, type) {
    done(new Blob([`${this.width}x${this.height}`], { type: type ?? '' }));
  });
}

const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name });
const choose = (...files: File[]) =>
  userEvent.upload(screen.getByLabelText('Add pictures'), files, { applyAccept: false });
const toldOf = (expected: Record<string, unknown>) => waitFor(() => expect(currentToasts()[0]).toMatchObject(expected));
const bodiesOf = (key: string) => service.calls.filter((made) => made.key === key).map(({ body }) => body);
const captions = () =>
  screen.queryAllByLabelText<HTMLInputElement>('What it shows, in a line').map(({ value }) => value);

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
  const envelope = screen.getByText('The cake').closest('li') as HTMLElement;
  await userEvent.click(within(envelope).getByRole('button', { name: /Edit/ }));
  await waitFor(() => expect(captions()).toHaveLength(3));
}

describe('Pictures for a letter', () => {
  it('are redrawn on the device, smaller and without their place, and are sent in their order', async () => {
    await write();
    const photograph = (name: string) => fileOf(name, { type: 'image/jpeg', sizeBytes: 9_000_000 });
    await choose(photograph('boat.jpg'), photograph('pier.jpeg'));
    await waitFor(() => expect(captions()).toHaveLength(2));
    await pasteInto(screen.getAllByLabelText('What it shows, in a line')[0] as HTMLElement, 'The boat');
    service.answers['POST /api/messages'] = ok(plain);
    await userEvent.click(button('Save as Draft'));
    await waitFor(() => expect(uploads.begun).toHaveLength(1));
    const { key, fields, file } = uploads.last();
    expect([key, fields, file.name]).toEqual([
      `POST /api/messages/${plain.id}/enclosures`,
      { caption: 'The boat' },
      'boat.jpg',
    ]);
    expect(await file.text()).toBe('2560x1920');
    act(() => uploads.last().answer(201, { ...garden, caption: 'The boat' }));
    await waitFor(() => expect(uploads.begun).toHaveLength(2));
    expect([uploads.last().file.name, uploads.last().fields]).toEqual(['pier.jpg', { caption: '' }]);
    act(() => uploads.last().answer(201, { ...pond, caption: '' }));
    await toldOf({ title: 'Message Saved' });
  });

  it('are sent again under their key if the answer was lost, with the words that they have then', async () => {
    await write();
    await choose(fileOf('boat.png', { type: 'image/png' }));
    await waitFor(() => expect(captions()).toHaveLength(1));
    service.answers['POST /api/messages'] = ok(plain);
    service.answers[`PUT /api/messages/${plain.id}`] = ok(plain);
    await userEvent.click(button('Save as Draft'));
    await waitFor(() => expect(uploads.begun).toHaveLength(1));
    act(() => uploads.last().loseConnection());
    await screen.findByText(/the contents of its envelope are not/, { selector: '.banner *' });
    await pasteInto(screen.getByLabelText('What it shows, in a line'), 'The boat');
    await userEvent.click(button('Save as Draft'));
    await waitFor(() => expect(uploads.begun).toHaveLength(2));
    const [first, second] = uploads.begun.map(({ headers }) => headers['idempotency-key']);
    expect(first).toBeDefined();
    expect(second).toBe(first);
    service.answers[`PUT ${place(garden, plain)}`] = ok({ ...garden, caption: 'The boat' });
    act(() => uploads.last().answer(201, { ...garden, caption: '' }));
    await toldOf({ title: 'Message Saved' });
    expect(bodiesOf(`PUT ${place(garden, plain)}`)).toMatchObject([{ caption: 'The boat', before: { caption: '' } }]);
  });

  it('are sent as they were taken where their writer wants that', async () => {
    await write();
    await choose(fileOf('boat.jpg', { type: 'image/jpeg', sizeBytes: 3_000_000 }));
    await userEvent.click(await screen.findByRole('checkbox', { name: /Keep it as it was taken/ }));
    service.answers['POST /api/messages'] = ok(plain);
    await userEvent.click(button('Save as Draft'));
    await waitFor(() => expect(uploads.begun).toHaveLength(1));
    expect(uploads.last().file.size).toBe(3_000_000);
    expect(uploads.last().key).toBe(`POST /api/messages/${plain.id}/enclosures?asTaken=true`);
  });

  it('from a telephone are redrawn too, without an offer of originals if the plan has no room', async () => {
    await write();
    await choose(fileOf('IMG_0042.HEIC', { type: '', sizeBytes: 3_000_000 }));
    await waitFor(() => expect(captions()).toHaveLength(1));
    expect(screen.queryByRole('checkbox', { name: /Keep/ })).toBeNull();
    service.answers['POST /api/messages'] = ok(plain);
    await userEvent.click(button('Save as Draft'));
    await waitFor(() => expect(uploads.begun).toHaveLength(1));
    const { file } = uploads.last();
    expect([file.name, await file.text()]).toEqual(['IMG_0042.jpg', '2560x1920']);
  });

  it('that move are left as they are, and one too large to be sent as it was taken is not offered so', async () => {
    await write();
    await choose(fileOf('wave.gif', { type: 'image/gif', sizeBytes: 5_000 }));
    await choose(fileOf('large.jpg', { type: 'image/jpeg', sizeBytes: 30_000_000 }));
    await waitFor(() => expect(captions()).toHaveLength(2));
    expect(screen.queryByRole('checkbox', { name: /Keep it as it was taken/ })).toBeNull();
  });

  it.each([
    ['a PDF', fileOf('will.pdf'), /^will\.pdf is not a picture that we can accept: jpg, png, gif, webp or heic/],
    ['an empty one', fileOf('a.png', { type: 'image/png', sizeBytes: 0 }), /^There is nothing in a\.png\./],
    [
      'one that does not open',
      fileOf('broken.jpg', { type: 'image/jpeg' }),
      /can’t show broken\.jpg, so it was not taken/,
    ],
    [
      'a moving one that is too large',
      fileOf('a.gif', { type: 'image/gif', sizeBytes: 10_000_001 }),
      /larger than 10 MB/,
    ],
  ])('are refused where it is %s, with a sentence, and the others stay', async (_, file, sentence) => {
    await write();
    await choose(fileOf('boat.png', { type: 'image/png' }), file);
    await waitFor(() =>
      expect(screen.getAllByRole('alert').map((alert) => alert.textContent)).toEqual(
        expect.arrayContaining([expect.stringMatching(sentence)]),
      ),
    );
    expect(captions()).toEqual(['']);
  });

  it('are twelve at most', async () => {
    await write();
    await choose(...Array.from({ length: 14 }, (_, index) => fileOf(`${index}.png`, { type: 'image/png' })));
    await waitFor(() => expect(captions()).toHaveLength(12));
    expect(screen.getByText(/A letter has room for 12 pictures/)).toBeDefined();
  });
});

describe('Originals, on a plan that has room for them', () => {
  const premium = { ...sam, plan: 'premium' as const };
  const kept = { id: idOf(70), name: 'garden.heic', sizeBytes: 3_100_000, mimeType: 'image/heic' };
  const withOriginal = { ...garden, original: kept };
  beforeEach(() => {
    service.answers['GET /api/auth/user'] = ok(premium);
  });

  it('are sent behind their pictures, each in a request of its own, where their writer wants that', async () => {
    await write();
    await choose(fileOf('IMG_0042.HEIC', { type: 'image/heic', sizeBytes: 20_000_000 }));
    await userEvent.click(await screen.findByRole('checkbox', { name: /Keep the original as well/ }));
    expect(screen.getByText(/, and the original, 20 MB$/)).toBeDefined();
    await userEvent.click(button('See it as they will'));
    expect(screen.getByRole('link', { name: 'Save the original' }).getAttribute('download')).toBe('IMG_0042.HEIC');
    await userEvent.click(button('Back to writing'));
    service.answers['POST /api/messages'] = ok(plain);
    await userEvent.click(button('Save as Draft'));
    await waitFor(() => expect(uploads.begun).toHaveLength(1));
    expect(uploads.last().file.name).toBe('IMG_0042.jpg');
    act(() => uploads.last().answer(201, { ...garden, caption: '' }));
    await waitFor(() => expect(uploads.begun).toHaveLength(2));
    const { key, file } = uploads.last();
    expect([key, file.name, file.size]).toEqual([`POST ${place(garden, plain)}/original`, 'IMG_0042.HEIC', 20_000_000]);
    act(() => uploads.last().answer(201, { ...withOriginal, caption: '' }));
    await toldOf({ title: 'Message Saved' });
  });

  it('that did not go through are sent again, and their pictures are not', async () => {
    await write();
    await choose(fileOf('boat.jpg', { type: 'image/jpeg', sizeBytes: 3_000_000 }));
    await userEvent.click(await screen.findByRole('checkbox', { name: /Keep the original as well/ }));
    service.answers['POST /api/messages'] = ok(plain);
    await userEvent.click(button('Save as Draft'));
    await waitFor(() => expect(uploads.begun).toHaveLength(1));
    act(() => uploads.last().answer(201, { ...garden, caption: '' }));
    await waitFor(() => expect(uploads.begun).toHaveLength(2));
    act(() => uploads.last().answer(503, { message: 'Not now.', type: 'UNAVAILABLE' }));
    service.answers[`PUT /api/messages/${plain.id}`] = ok(plain);
    await userEvent.click(await screen.findByRole('button', { name: /Try again|Save as Draft/ }));
    await waitFor(() => expect(uploads.begun).toHaveLength(3));
    expect(uploads.last().key).toBe(`POST ${place(garden, plain)}/original`);
  });

  it('are taken out alone, and are shown and saved beside their pictures until then', async () => {
    const cake = messageOf({ ...shown, enclosures: [withOriginal] });
    service.answers['GET /api/messages'] = ok([cake]);
    await open();
    const envelope = screen.getByText('The cake').closest('li') as HTMLElement;
    await userEvent.click(within(envelope).getByRole('button', { name: /Edit/ }));
    const box = await screen.findByRole<HTMLInputElement>('checkbox', { name: /Keep the original as well/ });
    expect(box.checked).toBe(true);
    await userEvent.click(button('See it as they will'));
    const link = screen.getByRole('link', { name: 'Save the original' });
    expect(link.getAttribute('href')).toBe(`/api/messages/${shown.id}/enclosures/${kept.id}`);
    await userEvent.click(button('Back to writing'));
    await userEvent.click(screen.getByRole('checkbox', { name: /Keep the original as well/ }));
    service.answers[`PUT /api/messages/${shown.id}`] = ok(cake);
    service.answers[`DELETE ${place(garden)}/original`] = { status: 200, body: null };
    await userEvent.click(button('Save as Draft'));
    await toldOf({ title: 'Message Updated' });
    expect(service.count(`DELETE ${place(garden)}/original`)).toBe(1);
    expect(service.count(`DELETE ${place(garden)}`)).toBe(0);
  });
});

describe('Pictures that are stored', () => {
  it('are counted in the list, and each is moved, by words that name it', async () => {
    await edit();
    expect(screen.getByText('3 pictures')).toBeDefined();
    expect(button('Earlier: picture 1 of 3').disabled).toBe(true);
    await userEvent.click(button('Earlier: picture 3 of 3'));
    await userEvent.click(button('Earlier: picture 2 of 3'));
    expect(captions()).toEqual(['gate', 'garden', 'pond']);
    service.answers[`PUT /api/messages/${shown.id}`] = ok(shown);
    service.answers[`PUT ${place(gate)}`] = ok({ ...gate, position: 1 });
    await userEvent.click(button('Save as Draft'));
    await toldOf({ title: 'Message Updated' });
    expect(bodiesOf(`PUT ${place(gate)}`)).toEqual([{ position: 1 }]);
    expect([bodiesOf(`PUT ${place(garden)}`), bodiesOf(`PUT ${place(pond)}`)]).toEqual([[], []]);
  });

  it('stand where their writer puts them: told by how the paragraph before begins', async () => {
    await edit();
    const [where] = screen.getAllByLabelText<HTMLSelectElement>('Where it stands');
    expect([...(where?.options ?? [])].map(({ text }) => text)).toEqual([
      'At the end',
      'Before the first words',
      'After “The blue tin has the photographs…”',
    ]);
    expect(where?.value).toBe('');
    await userEvent.selectOptions(where as HTMLSelectElement, 'After “The blue tin has the photographs…”');
    service.answers[`PUT /api/messages/${shown.id}`] = ok(shown);
    service.answers[`PUT ${place(garden)}`] = ok({ ...garden, afterParagraph: 1 });
    await userEvent.click(button('Save as Draft'));
    await toldOf({ title: 'Message Updated' });
    expect(bodiesOf(`PUT ${place(garden)}`)).toEqual([
      { caption: 'garden', transcript: '', afterParagraph: 1, before: { caption: 'garden', transcript: '' } },
    ]);
  });

  it('go one by one, and new ones come behind them', async () => {
    await edit();
    await userEvent.click(button('Take it out: picture 2 of 3'));
    await choose(fileOf('boat.png', { type: 'image/png' }));
    await waitFor(() => expect(captions()).toEqual(['garden', 'gate', '']));
    service.answers[`PUT /api/messages/${shown.id}`] = ok(shown);
    service.answers[`DELETE ${place(pond)}`] = { status: 200, body: null };
    await userEvent.click(button('Save as Draft'));
    await waitFor(() => expect(uploads.begun).toHaveLength(1));
    act(() => uploads.last().answer(201, { ...picture(4, ''), position: 3 }));
    await toldOf({ title: 'Message Updated' });
    expect(service.count(`DELETE ${place(pond)}`)).toBe(1);
  });

  it('stand in the preview in their order, told by their captions', async () => {
    await edit();
    await userEvent.click(button('See it as they will'));
    const preview = document.querySelector('.reading') as HTMLElement;
    expect([...preview.querySelectorAll('figcaption')].map(({ textContent }) => textContent)).toEqual([
      'garden',
      'pond',
      'gate',
    ]);
  });
});
