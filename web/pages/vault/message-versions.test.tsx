import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Enclosure } from '#shared/contract/letters/enclosures.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { MessagesPage } from './messages.tsx';
import { idOf, messageOf, ok, openPage, refused, type Service, startVault } from './vault.test-world.ts';

const garden: Enclosure = {
  id: idOf(41),
  kind: 'picture',
  name: 'garden.png',
  sizeBytes: 400_000,
  mimeType: 'image/png',
  pictureSize: null,
  caption: 'The garden',
  transcript: '',
  position: 1,
  afterParagraph: null,
  original: null,
};
const cake = messageOf({
  id: idOf(13),
  title: 'The cake',
  enclosures: [garden],
  hasAttachment: true,
  attachmentOriginalName: 'lemon-cake-card.jpg',
  attachmentSize: 2_400_000,
  attachmentMimeType: 'image/jpeg',
});

let service: Service;
beforeEach(() => {
  service = startVault();
  service.answers['GET /api/messages'] = ok([cake]);
});
afterEach(() => service.stop());

const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name });
const toldOf = (expected: Record<string, unknown>) => waitFor(() => expect(currentToasts()[0]).toMatchObject(expected));
const put = `PUT /api/messages/${cake.id}`;

async function edit() {
  openPage(MessagesPage, { route: '/messages', at: '/messages' });
  await userEvent.click(await screen.findByRole('button', { name: 'Edit The cake' }));
}

describe('The file of a letter that was changed elsewhere', () => {
  it('stays if another device put it there, and only the file before it was removed here', async () => {
    const filmed = {
      ...cake,
      attachmentOriginalName: 'cake.mp4',
      attachmentMimeType: 'video/mp4',
      attachmentTranscript: 'Whisk it well.',
      version: idOf(93),
    };
    service.answers[put] = refused(409, 'Changed elsewhere.', { type: 'CHANGED_ELSEWHERE', stored: filmed });
    await edit();
    await userEvent.click(button('Remove lemon-cake-card.jpg'));
    await userEvent.click(button('Save as Draft'));
    await userEvent.click(
      await screen.findByRole('button', { name: 'Go on with this one, in this window, not saved yet' }),
    );
    expect(button('Remove cake.mp4')).toBeDefined();
    expect(screen.getByLabelText<HTMLTextAreaElement>('What is said in the video, in words').value).toBe(
      'Whisk it well.',
    );
    service.answers[put] = ok(filmed);
    await userEvent.click(button('Save as Draft'));
    await toldOf({ title: 'Message Updated' });
    const { body } = service.calls.findLast(({ key }) => key === put) ?? {};
    expect(body).toMatchObject({ hasAttachment: true, version: filmed.version });
    expect(body).not.toHaveProperty('attachmentTranscript');
  });

  it('is named in both versions if it was removed here, and the words were changed elsewhere', async () => {
    const stored = { ...cake, content: 'Bake it at 180.', version: idOf(93) };
    service.answers[put] = refused(409, 'Changed elsewhere.', { type: 'CHANGED_ELSEWHERE', stored });
    await edit();
    await userEvent.click(button('Remove lemon-cake-card.jpg'));
    await userEvent.click(button('Save as Draft'));
    const mine = await screen.findByRole('article', { name: 'In this window, not saved yet' });
    expect(within(mine).getByText('File').closest('div')?.textContent).toBe('File (different)Nothing');
    expect(screen.getByText('lemon-cake-card.jpg', { selector: 'dd' })).toBeDefined();
    await userEvent.click(button('Go on with this one, in this window, not saved yet'));
    service.answers[put] = ok(stored);
    await userEvent.click(button('Save as Draft'));
    await toldOf({ title: 'Message Updated' });
    expect(service.calls.findLast(({ key }) => key === put)?.body).toMatchObject({ hasAttachment: false });
  });
});

describe('The readers of a letter that was changed elsewhere', () => {
  it('are named with their addresses if an address differs under the same name', async () => {
    const [reader] = cake.recipients;
    const stored = { ...cake, recipients: [{ ...reader, email: 'nell@work.example' }], version: idOf(93) };
    service.answers[put] = refused(409, 'Changed elsewhere.', { type: 'CHANGED_ELSEWHERE', stored });
    await edit();
    await userEvent.click(button('Save as Draft'));
    const theirs = await screen.findByRole('article', { name: /^Saved elsewhere/ });
    expect(within(theirs).getByText('Goes to').closest('div')?.textContent).toBe(
      'Goes to (different)nell@work.example',
    );
  });
});

describe('The words to a picture that were changed elsewhere', () => {
  const place = `PUT /api/messages/${cake.id}/enclosures/${garden.id}`;
  const caption = () => screen.getByLabelText<HTMLInputElement>('What it shows, in a line');
  const saveWith = async (words: string) => {
    const stored = { ...garden, caption: 'The garden in May' };
    service.answers[put] = ok(cake);
    service.answers[place] = refused(409, 'Changed elsewhere.', { type: 'CHANGED_ELSEWHERE', stored });
    await edit();
    await userEvent.clear(caption());
    await userEvent.type(caption(), words);
    await userEvent.click(button('Save as Draft'));
    const heading = await screen.findByRole('heading', {
      name: 'The words to picture 1 were changed in another window or on another device',
    });
    expect(document.activeElement).toBe(heading);
    expect(screen.getByText('The garden in May')).toBeDefined();
    service.answers[place] = ok({ ...stored, caption: words });
  };
  const bodies = () => service.calls.filter(({ key }) => key === place).map(({ body }) => body);

  it('are shown beside the words of this window, which are saved once their writer has read both', async () => {
    await saveWith('Our garden');
    await userEvent.click(button('Go on with this one, in this window, not saved yet'));
    expect(caption().value).toBe('Our garden');
    await userEvent.click(button('Save as Draft'));
    await toldOf({ title: 'Message Updated' });
    expect(bodies()).toMatchObject([
      { caption: 'Our garden', before: { caption: 'The garden' } },
      { caption: 'Our garden', before: { caption: 'The garden in May' } },
    ]);
  });

  it('take the place of the words in this window if their writer chooses them', async () => {
    await saveWith('Our garden');
    await userEvent.click(button('Go on with this one, saved elsewhere'));
    expect(caption().value).toBe('The garden in May');
    await userEvent.click(button('Save as Draft'));
    await toldOf({ title: 'Message Updated' });
    expect(bodies()).toHaveLength(1);
  });
});
