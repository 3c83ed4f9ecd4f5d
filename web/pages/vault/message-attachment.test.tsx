import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pasteInto } from '#tests/support/paste-into.ts';
import { fileOf, startUploads, type Uploads } from '#web/lib/api/upload.test-world.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { MessagesPage } from './messages.tsx';
import { daysFromNow, idOf, messageOf, ok, openPage, type Service, sam, startVault } from './vault.test-world.ts';

const plain = messageOf();
const cake = messageOf({
  id: idOf(13),
  title: 'The cake',
  hasAttachment: true,
  attachmentOriginalName: 'lemon-cake-card.jpg',
  attachmentSize: 2_400_000,
  attachmentMimeType: 'image/jpeg',
});
const sent = { ...cake, id: idOf(14), title: 'Sent', status: 'delivered' as const, deliveredAt: daysFromNow(-1) };

let service: Service;
let uploads: Uploads;
beforeEach(() => {
  service = startVault();
  uploads = startUploads();
  service.answers['GET /api/messages'] = ok([plain, cake, sent]);
});
afterEach(() => {
  service.stop();
  uploads.stop();
});

const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name });
const field = () => screen.getByLabelText<HTMLInputElement>('Attachment');
const choose = (file: File) => userEvent.upload(field(), file, { applyAccept: false });
const toldOf = (expected: Record<string, unknown>) => waitFor(() => expect(currentToasts()[0]).toMatchObject(expected));

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

describe('Attaching a file', () => {
  it('takes the spec’s types, and shows name, size and kind', async () => {
    await write();
    expect(field().accept).toBe('.pdf,.doc,.docx,.txt,.jpg,.jpeg,.png,.gif,.rtf,.odt,.tif,.tiff,.webp,.jpe,.jfif');
    expect(screen.getByText('PDF, Word, text or picture, up to 10 MB')).toBeDefined();
    await choose(fileOf('boat.jpg', { type: 'image/jpeg', sizeBytes: 1_300_000 }));
    expect(screen.getByText('boat.jpg')).toBeDefined();
    expect(screen.getByText('1.3 MB, picture')).toBeDefined();
  });

  it('is refused on the free plan', async () => {
    service.answers['GET /api/auth/user'] = ok({ ...sam, plan: 'free' });
    await write();
    expect(screen.getByText('Attachments come with the Essential plan or higher')).toBeDefined();
    await choose(fileOf('boat.jpg'));
    const description =
      'File attachments require Essential plan or higher. Upgrade to attach documents to your messages.';
    await toldOf({ title: 'Upgrade Required', description, variant: 'destructive' });
    expect(screen.getByRole('alert').textContent).toBe(description);
    expect(field().value).toBe('');
    service.answers['POST /api/messages'] = ok(plain);
    await userEvent.click(button('Save as Draft'));
    await toldOf({ title: 'Message Saved' });
    expect(uploads.begun).toEqual([]);
  });

  it('is refused over 10 MB, and the earlier choice stays', async () => {
    await write();
    await choose(fileOf('boat.jpg'));
    await choose(fileOf('large.pdf', { sizeBytes: 10_000_001 }));
    await toldOf({ title: 'File too large', description: 'Please select a file smaller than 10MB.' });
    expect(screen.getByText('boat.jpg')).toBeDefined();
  });

  it('takes videos on a plan that has them', async () => {
    service.answers['GET /api/auth/user'] = ok({ ...sam, plan: 'premium' });
    await write();
    expect(field().accept).toContain('.mp4,.webm,.mov');
    await choose(fileOf('sea.mp4', { type: 'video/mp4', sizeBytes: 249_000_000 }));
    expect(screen.getByText('249 MB, video')).toBeDefined();
  });

  it('asks for the words of a video, sends them with it, and clears them for another file', async () => {
    service.answers['GET /api/auth/user'] = ok({ ...sam, plan: 'premium' });
    await write();
    const words = () => screen.queryByLabelText('What is said in the video, in words');
    expect(words()).toBeNull();
    await choose(fileOf('sea.mp4', { type: 'video/mp4' }));
    await pasteInto(words() as HTMLElement, 'Hello, Tom.');
    await choose(fileOf('boat.jpg', { type: 'image/jpeg' }));
    expect(words()).toBeNull();
    await choose(fileOf('sea.mp4', { type: 'video/mp4' }));
    expect((words() as HTMLTextAreaElement).value).toBe('');
    await pasteInto(words() as HTMLElement, 'This is the sea.');
    await userEvent.click(button('Save as Draft'));
    await waitFor(() => expect(uploads.begun).toHaveLength(1));
    expect(uploads.last().fields.attachmentTranscript).toBe('This is the sea.');
  });

  it('sends message and file at once, once, with progress', async () => {
    await write();
    await choose(fileOf('boat.jpg'));
    await userEvent.dblClick(button('Save & Ready to Send'));
    await waitFor(() => expect(uploads.begun).toHaveLength(1));
    expect([uploads.last().key, uploads.last().fields, uploads.last().file.name]).toEqual([
      'POST /api/messages/with-attachment',
      {
        title: 'For Tom',
        content: 'Look after the boat.',
        recipientEmail: 'tom@post.example',
        recipients: '[{"name":null,"relation":null,"email":"tom@post.example"}]',
        showRecipients: 'false',
        deliverOn: 'null',
        announceWait: 'false',
        category: 'personal',
        status: 'ready',
        visibleToTrustedContact: 'false',
      },
      'boat.jpg',
    ]);
    act(() => uploads.last().sent(1, 4));
    expect(screen.getByText('25 %')).toBeDefined();
    act(() => uploads.last().answer(201, cake));
    await toldOf({ title: 'Message Saved', description: 'Your message has been saved as ready for delivery' });
    expect(screen.getByRole('dialog', { name: /^Sealed for / })).toBeDefined();
    expect(service.count('POST /api/messages')).toBe(0);
  });

  it.each([
    [
      'a broken service',
      500,
      { message: 'Broken.', type: 'INTERNAL' },
      'Error',
      'Failed to save message. Please try again.',
    ],
    ['a plan limit', 403, { message: 'Your plan limit is 10.' }, 'Plan Limit Reached', 'Your plan limit is 10.'],
    ['an upgrade', 403, { message: 'No room.', upgradeRequired: true }, 'Upgrade Required', 'No room.'],
  ])('that fails for %s keeps words and file', async (_, status, body, title, description) => {
    await write();
    await choose(fileOf('boat.jpg'));
    await userEvent.click(button('Save as Draft'));
    await waitFor(() => expect(uploads.begun).toHaveLength(1));
    act(() => uploads.last().answer(status, body));
    await toldOf({ title, description, variant: 'destructive' });
    expect(screen.getByText(`Failed to upload file. ${body.message} What you wrote is still here.`)).toBeDefined();
    expect(screen.getByText('boat.jpg')).toBeDefined();
    expect(screen.getByLabelText<HTMLInputElement>('Message Title *').value).toBe('For Tom');
  });

  it('can be cancelled on the way', async () => {
    await write();
    await choose(fileOf('boat.jpg'));
    await userEvent.click(button('Save as Draft'));
    await userEvent.click(await screen.findByRole('button', { name: 'Cancel the upload' }));
    expect(uploads.last().isAborted).toBe(true);
    expect(await screen.findByText(/The upload was cancelled/)).toBeDefined();
    expect(document.activeElement).toBe(button('Save & Ready to Send'));
    expect(button('Save as Draft').getAttribute('aria-disabled')).toBeNull();
  });

  it('is asked about before the form is closed, since the file is not kept', async () => {
    await open();
    await userEvent.click(button('Create Message'));
    await choose(fileOf('boat.jpg'));
    await userEvent.click(button('Close'));
    const question = screen.getByRole('alertdialog', { name: 'Leave your letter?' });
    expect(question.textContent).toContain('The file you chose is not kept');
  });

  it('is seen in the letter as the recipient will see it', async () => {
    await write();
    await choose(fileOf('boat.jpg', { type: 'image/jpeg', sizeBytes: 1_300_000 }));
    await userEvent.click(button('See it as they will'));
    expect(within(screen.getByRole('article')).getByText('1.3 MB, enclosed with the letter')).toBeDefined();
  });
});

describe('An attachment that is saved', () => {
  const put = `PUT /api/messages/${cake.id}`;
  const edit = async () => {
    await open();
    await userEvent.click(button('Edit The cake'));
  };

  it('is named in its row and can be downloaded', async () => {
    await open();
    const row = screen.getByRole('heading', { name: 'The cake' }).closest('li')?.textContent;
    expect(row).toContain('Attachment: lemon-cake-card.jpg');
    await userEvent.click(button('Edit The cake'));
    const link = screen.getByRole('link', { name: 'Download lemon-cake-card.jpg' });
    expect(link.getAttribute('href')).toBe(`/api/messages/${cake.id}/attachment`);
  });

  it('stays when the words are changed', async () => {
    service.answers[put] = ok(cake);
    await edit();
    await userEvent.click(button('Save as Draft'));
    await toldOf({ title: 'Message Updated' });
    expect(service.calls.find(({ key }) => key === put)?.body).toMatchObject({ hasAttachment: true });
  });

  it('is removed with the change, unless it is kept after all', async () => {
    service.answers[put] = ok(plain);
    await edit();
    await userEvent.click(button('Remove lemon-cake-card.jpg'));
    expect(screen.getByText(/is removed when you save/)).toBeDefined();
    expect(document.activeElement).toBe(field());
    await userEvent.click(button('Keep it'));
    expect(document.activeElement).toBe(field());
    expect(button('Remove lemon-cake-card.jpg')).toBeDefined();
    await userEvent.click(button('Remove lemon-cake-card.jpg'));
    await userEvent.click(button('Save as Draft'));
    await toldOf({ title: 'Message Updated' });
    expect(service.calls.find(({ key }) => key === put)?.body).toMatchObject({ hasAttachment: false });
  });

  it('is replaced by another file', async () => {
    await edit();
    await choose(fileOf('better.png', { type: 'image/png' }));
    await userEvent.click(button('Save as Draft'));
    await waitFor(() => expect(uploads.begun).toHaveLength(1));
    expect(uploads.last().key).toBe(`PUT /api/messages/${cake.id}/with-attachment`);
    act(() => uploads.last().answer(200, cake));
    await toldOf({
      title: 'Message Updated',
      description: 'Your message has been successfully updated as draft',
    });
  });

  it('is not spoken of where a message has none', async () => {
    const other = `PUT /api/messages/${plain.id}`;
    service.answers[other] = ok(plain);
    await open();
    await userEvent.click(button('Edit For Nell'));
    await userEvent.click(button('Save as Draft'));
    await toldOf({ title: 'Message Updated' });
    expect(service.calls.find(({ key }) => key === other)?.body).not.toHaveProperty('hasAttachment');
  });

  it('is still there once the message is delivered', async () => {
    await open();
    await userEvent.click(button('Read Sent'));
    const dialog = within(screen.getByRole('dialog', { name: 'Sent' }));
    expect(dialog.getByRole('link', { name: 'lemon-cake-card.jpg' }).getAttribute('href')).toBe(
      `/api/messages/${sent.id}/attachment`,
    );
    expect(dialog.getByText(/2\.4 MB, picture/)).toBeDefined();
  });
});
