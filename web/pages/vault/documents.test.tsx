import { focusManager } from '@tanstack/react-query';
import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Document as VaultDocument } from '#shared/contract/documents.ts';
import { pasteInto } from '#tests/support/paste-into.ts';
import { fileOf, startUploads, type Uploads } from '#web/lib/api/upload.test-world.ts';
import { longDate } from '#web/lib/format.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { DocumentsPage } from './documents.tsx';
import {
  daysFromNow,
  holdAnswers,
  idOf,
  limits,
  ok,
  openPage,
  refused,
  type Service,
  sam,
  startVault,
} from './vault.test-world.ts';

const will: VaultDocument = {
  id: idOf(30),
  name: 'The will',
  category: 'legal',
  description: 'The original is with the solicitor.',
  fileName: 'will-2024.pdf',
  fileSize: 2_400_000,
  mimeType: 'application/pdf',
  visibleToTrustedContact: true,
  createdAt: daysFromNow(-3),
  updatedAt: daysFromNow(-3),
  version: idOf(90),
};
const deed: VaultDocument = {
  ...will,
  id: idOf(31),
  name: 'Deed of the house',
  category: 'property',
  description: null,
  fileName: 'deed.docx',
  fileSize: 812,
  mimeType: '',
  visibleToTrustedContact: false,
};

let service: Service;
let uploads: Uploads;
beforeEach(() => {
  service = startVault();
  uploads = startUploads();
  service.answers['GET /api/documents'] = ok([will, deed]);
});
afterEach(() => {
  service.stop();
  uploads.stop();
});

describe('The usage of the plan', () => {
  it('is read again whenever the window is looked at', async () => {
    await open();
    const read = 'GET /api/plan-limits';
    await waitFor(() => expect(service.count(read)).toBe(1));
    act(() => {
      focusManager.setFocused(false);
      focusManager.setFocused(true);
    });
    await waitFor(() => expect(service.count(read)).toBe(2));
    focusManager.setFocused(undefined);
  });
});

const openAtOnce = () => openPage(DocumentsPage, { route: '/documents', at: '/documents' });
async function open() {
  openAtOnce();
  await screen.findByRole('heading', { name: /^\d+ Documents?$/ });
}
const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name });
const fileField = () => screen.getByLabelText<HTMLInputElement>('File *');
const search = 'POST /api/documents/search';
const lastToast = () => currentToasts()[0];
const names = () => screen.queryAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent);
const cardOf = (name: string) => screen.getByRole('heading', { name }).closest('li') as HTMLElement;
const toldOf = (expected: Record<string, unknown>) => waitFor(() => expect(lastToast()).toMatchObject(expected));

describe('The list of documents', () => {
  it('has the shape of its cards while it loads', async () => {
    const answer = holdAnswers();
    openAtOnce();
    await screen.findByRole('status', { name: 'Loading documents' });
    answer();
    await screen.findByRole('heading', { name: '2 Documents' });
  });

  it('tells of each its category, name, description, size, type and date', async () => {
    await open();
    const text = cardOf('The will').textContent ?? '';
    for (const part of ['Legal', 'The original is with the solicitor.', '2.4 MB', 'PDF', longDate(will.createdAt)]) {
      expect(text).toContain(part);
    }
    expect(text).toContain('Shown to your trusted contacts');
    const other = cardOf('Deed of the house').textContent ?? '';
    for (const part of ['Property', '812 Bytes', 'Unknown']) expect(other).toContain(part);
    expect(other).not.toContain('Shown to');
  });

  it('leads to the real file, under its own name', async () => {
    await open();
    const link = screen.getByRole('link', { name: 'Download The will' });
    expect(link.getAttribute('href')).toBe(`/api/documents/${will.id}/download`);
    expect(link.getAttribute('download')).toBe('will-2024.pdf');
  });

  it('is searched and filtered', async () => {
    await open();
    expect(screen.getAllByRole('button', { pressed: false }).map(({ textContent }) => textContent)).toEqual([
      'Legal',
      'Financial',
      'Personal',
      'Instructions',
      'Select',
    ]);
    await userEvent.type(screen.getByPlaceholderText('Search documents...'), 'DEED');
    await screen.findByRole('heading', { name: '1 Document' });
    expect(names()).toEqual(['Deed of the house']);
    expect(service.calls.filter(({ key }) => key === search).map(({ body }) => body)).toEqual([
      { words: 'DEED', category: 'all', sort: 'newest', from: 0 },
    ]);
    await userEvent.clear(screen.getByPlaceholderText('Search documents...'));
    await userEvent.click(button('Legal'));
    await waitFor(() => expect(names()).toEqual(['The will']));
    await userEvent.click(button('Financial'));
    await screen.findByText('No documents found');
    await userEvent.click(button('All'));
    await waitFor(() => expect(names()).toHaveLength(2));
  });

  it('is empty at first, with one thing to do', async () => {
    service.answers['GET /api/documents'] = ok([]);
    await open();
    expect(screen.getByText('No documents yet')).toBeDefined();
    await userEvent.click(button('Upload Your First Document'));
    expect(screen.getByRole('dialog', { name: 'Upload Document' })).toBeDefined();
  });

  it('says what happened where it can’t be loaded, and tries again', async () => {
    service.answers['GET /api/documents'] = 'unreachable';
    openAtOnce();
    await screen.findByText('We could not load your documents');
    service.answers['GET /api/documents'] = ok([will]);
    await userEvent.click(button('Try again'));
    await screen.findByRole('heading', { name: '1 Document' });
  });
});

describe('More documents than a page holds', () => {
  const many = Array.from({ length: 120 }, (_, index) => ({
    ...will,
    id: idOf(300 + index),
    name: `Paper ${index + 1}`,
  }));
  beforeEach(() => {
    service.answers['GET /api/documents'] = ok(many);
  });

  it('come fifty at a time, and are all counted', async () => {
    await open();
    expect(screen.getByRole('heading', { name: '120 Documents' })).toBeDefined();
    expect(names()).toHaveLength(50);
    expect(screen.getByText('50 of 120 shown')).toBeDefined();
    await userEvent.click(button('Show more'));
    await screen.findByText('100 of 120 shown');
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Download Paper 51');
    await userEvent.click(button('Show more'));
    await waitFor(() => expect(names()).toEqual(many.map(({ name }) => name)));
    expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
  });

  it('say so if further ones can’t be loaded, and try again', async () => {
    await open();
    service.answers['GET /api/documents/page?from=50'] = refused(400, 'Broken.');
    await userEvent.click(button('Show more'));
    const retry = await screen.findByRole('button', { name: 'Try again' });
    expect(screen.getByText(/^We could not load more documents\. 50 of 120 shown$/)).toBeDefined();
    delete service.answers['GET /api/documents/page?from=50'];
    await userEvent.click(retry);
    await screen.findByText('100 of 120 shown');
  });

  it('are chosen as far as they are shown', async () => {
    await open();
    await userEvent.click(button('Select'));
    await userEvent.click(button('All 50 shown'));
    expect(screen.getByText('50 documents chosen')).toBeDefined();
  });

  it('are found on every page', async () => {
    await open();
    await pasteInto(screen.getByPlaceholderText('Search documents...'), 'paper 117');
    await waitFor(() => expect(names()).toEqual(['Paper 117']));
  });

  it('say so if the search fails, and try again', async () => {
    await open();
    service.answers[search] = refused(500, 'Broken.');
    await pasteInto(screen.getByPlaceholderText('Search documents...'), 'paper 117');
    await screen.findByText('We could not search your documents');
    delete service.answers[search];
    await userEvent.click(button('Try again'));
    await waitFor(() => expect(names()).toEqual(['Paper 117']));
  });
});

describe('The limits of the plan', () => {
  it('close the upload where the storage is full, and say so', async () => {
    service.answers['GET /api/plan-limits'] = ok({
      ...limits,
      storage: { current: 499.6, currentBytes: 499_600_000, limit: 500, canUpload: false },
    });
    await open();
    const alert = await screen.findByText(/Your storage is full/);
    expect(alert.textContent).toContain('(499.6 MB / 500 MB)');
    expect(screen.getByRole('link', { name: 'Upgrade' }).getAttribute('href')).toBe('/account');
    expect(button('Upload Document').disabled).toBe(true);
  });

  it('leave it open otherwise', async () => {
    await open();
    expect(button('Upload Document').disabled).toBe(false);
    expect(screen.queryByText(/Your storage is full/)).toBeNull();
  });

  it('show an upgrade on a plan without the vault', async () => {
    service.answers['GET /api/auth/user'] = ok({ ...sam, plan: 'free' });
    service.answers['GET /api/documents'] = ok([]);
    openAtOnce();
    await screen.findByText('The document vault is available with Essential, Premium and Lifetime plans.');
    expect(screen.getByRole('link', { name: 'Upgrade Your Plan' }).getAttribute('href')).toBe('/account');
    expect(screen.queryByRole('button', { name: /Upload/ })).toBeNull();
  });

  it('leave documents of an earlier plan within reach', async () => {
    service.answers['GET /api/auth/user'] = ok({ ...sam, plan: 'free' });
    openAtOnce();
    expect(await screen.findByRole('link', { name: 'Download The will' })).toBeDefined();
    expect(button('Delete The will')).toBeDefined();
    expect(screen.queryByRole('button', { name: /Upload/ })).toBeNull();
  });
});

describe('Several documents', () => {
  const put = (document: VaultDocument) => `PUT /api/documents/${document.id}`;
  const remove = (document: VaultDocument) => `DELETE /api/documents/${document.id}`;
  const select = async (...chosen: string[]) => {
    await open();
    await userEvent.click(button('Select'));
    for (const name of chosen) await userEvent.click(screen.getByRole('checkbox', { name }));
  };

  it('stand in the order that is chosen', async () => {
    await open();
    const sort = screen.getByLabelText('Sort');
    expect(names()).toEqual(['The will', 'Deed of the house']);
    await userEvent.selectOptions(sort, 'Name, A to Z');
    await waitFor(() => expect(names()).toEqual(['Deed of the house', 'The will']));
    await userEvent.selectOptions(sort, 'Largest first');
    await waitFor(() => expect(names()).toEqual(['The will', 'Deed of the house']));
    await userEvent.selectOptions(sort, 'Oldest first');
    await waitFor(() => expect(names()).toEqual(['Deed of the house', 'The will']));
  });

  it('are shown to contacts, or hidden from them, and else stay as they are', async () => {
    for (const document of [will, deed]) service.answers[put(document)] = ok(document);
    await select('The will', 'Deed of the house');
    expect(screen.getByText('2 documents chosen')).toBeDefined();
    await userEvent.click(button('Show to contacts'));
    await toldOf({ title: 'Document Updated', description: 'The document is shown to your trusted contacts.' });
    const bodyOf = (key: string) => service.calls.find((made) => made.key === key)?.body;
    const { name, category, description } = deed;
    expect(bodyOf(put(deed))).toEqual({
      name,
      category,
      description,
      visibleToTrustedContact: true,
      version: deed.version,
    });
    expect([service.count(put(will)), screen.queryByText(/chosen/)]).toEqual([0, null]);
    expect(document.activeElement).toBe(button('Select'));
  });

  it('are deleted together after one question, and taken back together', async () => {
    for (const document of [will, deed]) {
      service.answers[remove(document)] = ok(null);
      service.answers[`POST /api/recently-deleted/document/${document.id}/restore`] = ok({});
    }
    await select();
    await userEvent.click(button('All 2'));
    await userEvent.click(within(screen.getByRole('region', { name: 'Chosen documents' })).getByText('Delete'));
    expect(screen.getByRole('heading', { name: 'Delete these 2 documents?' })).toBeDefined();
    await userEvent.click(button('Delete 2 documents'));
    await toldOf({ title: 'Documents Deleted', description: 'They are kept for 30 days under Recently deleted.' });
    expect(service.calls.filter(({ key }) => key.startsWith('DELETE'))).toEqual(
      [will, deed].map((document) => ({ key: remove(document), body: undefined, version: document.version })),
    );
    expect(lastToast()?.action?.label).toBe('Undo');
  });

  it('that could not all be deleted are counted, and stay chosen', async () => {
    service.answers[remove(will)] = ok(null);
    service.answers[remove(deed)] = refused(500, 'Something went wrong.');
    await select('The will', 'Deed of the house');
    await userEvent.click(within(screen.getByRole('region', { name: 'Chosen documents' })).getByText('Delete'));
    await userEvent.click(button('Delete 2 documents'));
    await toldOf({ title: 'Delete Failed', description: '1 of 2 documents could not be deleted. Please try again.' });
    expect(screen.getByText('2 documents chosen')).toBeDefined();
  });
});

describe('Several files at once', () => {
  const rows = () =>
    within(screen.getByRole('list', { name: 'Files' }))
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent);
  const begin = async (...files: File[]) => {
    await open();
    await userEvent.click(button('Upload Document'));
    await userEvent.upload(fileField(), files, { applyAccept: false });
  };

  it('are stored one after the other, each under its name, with the shared fields; failed ones are retried alone', async () => {
    await begin(fileOf('will.pdf'), fileOf('deed.pdf'), fileOf('song.mp3'));
    expect(rows()).toEqual([
      expect.stringMatching(/^will\.pdf.*Waits$/),
      expect.stringMatching(/^deed\.pdf.*Waits$/),
      expect.stringMatching(/^song\.mp3.*This is a recording\. Put it into a letter as a voice\.$/),
    ]);
    await userEvent.selectOptions(screen.getByLabelText('Category of all'), 'Legal');
    await userEvent.click(button('Store 2 documents in my vault'));
    await waitFor(() => expect(uploads.begun).toHaveLength(1));
    expect(uploads.last()).toMatchObject({
      key: 'POST /api/documents',
      fields: { name: 'will.pdf', category: 'legal' },
    });
    act(() => uploads.last().answer(500, { message: 'The store is away.', type: 'INTERNAL' }));
    await waitFor(() => expect(uploads.begun).toHaveLength(2));
    expect(uploads.last().fields.name).toBe('deed.pdf');
    act(() => uploads.last().answer(201, deed));
    await screen.findByText('1 document stored. 1 file not stored.');
    expect(screen.getByText('The store is away.')).toBeDefined();
    await userEvent.click(button('Try will.pdf again'));
    await userEvent.click(button('Store 1 document in my vault'));
    await waitFor(() => expect(uploads.begun).toHaveLength(3));
    act(() => uploads.last().answer(201, { ...will, fileName: 'will.docx', renamedFrom: 'will.pdf' }));
    await screen.findByText('2 documents stored.');
    expect(rows()[0]).toMatch(/Stored as will\.docx$/);
    await userEvent.click(button('Done'));
    expect(screen.queryByRole('list', { name: 'Files' })).toBeNull();
  });

  it('go on where one of them is stopped, and closing asks while they are sent', async () => {
    await begin(fileOf('will.pdf'), fileOf('deed.pdf'));
    await userEvent.click(button('Store 2 documents in my vault'));
    await waitFor(() => expect(uploads.begun).toHaveLength(1));
    await userEvent.click(button('Close'));
    expect(screen.getByText('What is stored stays. The others are not in your vault yet.')).toBeDefined();
    await userEvent.click(button('Keep uploading'));
    await userEvent.click(button('Cancel the upload'));
    await waitFor(() => expect(uploads.begun).toHaveLength(2));
    expect([uploads.begun[0]?.isAborted, rows()[0]]).toEqual([true, expect.stringMatching(/Stopped/)]);
    await userEvent.click(button('Close'));
    await userEvent.click(button('Stop the upload'));
    expect(uploads.begun[1]?.isAborted).toBe(true);
    expect(uploads.begun).toHaveLength(2);
  });

  it('can be left out before they are sent', async () => {
    await begin(fileOf('will.pdf'), fileOf('deed.pdf'));
    await userEvent.click(button('Leave will.pdf out'));
    expect(rows()).toHaveLength(1);
    expect(button('Store 1 document in my vault')).toBeDefined();
  });
});

describe('Uploading a document', () => {
  async function openForm() {
    await open();
    await userEvent.click(button('Upload Document'));
  }
  const choose = (file: File) => userEvent.upload(fileField(), file, { applyAccept: false });
  const store = () => userEvent.click(button('Store in my vault'));

  it('takes the types of the plan', async () => {
    await openForm();
    expect(fileField().accept).toBe('.pdf,.doc,.docx,.txt,.jpg,.jpeg,.png,.gif,.rtf,.odt,.tif,.tiff,.webp,.jpe,.jfif');
  });

  it('asks for the file, and for a name', async () => {
    await openForm();
    await store();
    expect(await screen.findByText('Please select a file to upload.')).toBeDefined();
    expect(await screen.findByText('Required')).toBeDefined();
    expect(document.activeElement).toBe(fileField());
    expect(fileField().getAttribute('aria-invalid')).toBe('true');
    await pasteInto(screen.getByLabelText('Document Name *'), 'The will');
    await store();
    expect(screen.getByText('Please select a file to upload.')).toBeDefined();
    expect(uploads.begun).toEqual([]);
  });

  it('fills in the name from the file, and leaves one that was typed', async () => {
    await openForm();
    await choose(fileOf('policy.pdf', { sizeBytes: 2_400_000 }));
    const name = screen.getByLabelText<HTMLInputElement>('Document Name *');
    expect(name.value).toBe('policy.pdf');
    expect(screen.getByText('2.4 MB, PDF')).toBeDefined();
    await choose(fileOf('deed.pdf'));
    expect(name.value).toBe('deed.pdf');
    await userEvent.clear(name);
    await pasteInto(name, 'My own words');
    await choose(fileOf('third.pdf'));
    expect(name.value).toBe('My own words');
    await userEvent.click(button('Remove third.pdf'));
    expect(screen.getByText('Choose a file')).toBeDefined();
    expect(fileField().value).toBe('');
  });

  it('does not give a file the name that one of an earlier try had', async () => {
    await openForm();
    await pasteInto(screen.getByLabelText('Document Name *'), 'false.PDF');
    await choose(fileOf('policy.pdf'));
    expect(screen.getByLabelText<HTMLInputElement>('Document Name *').value).toBe('policy.pdf');
  });

  it('refuses a file over 10 MB, and one of another kind', async () => {
    await openForm();
    await choose(fileOf('large.pdf', { sizeBytes: 10_000_001 }));
    await toldOf({ title: 'File too large', description: 'Please select a file smaller than 10MB.' });
    expect(screen.getByRole('alert').textContent).toContain('Please select a file smaller than 10MB.');
    await choose(fileOf('virus.exe'));
    expect(screen.getByRole('alert').textContent).toContain('Please select another file: PDF');
    expect(screen.getByText('Choose a file')).toBeDefined();
  });

  it('says if the ending was corrected', async () => {
    await openForm();
    await choose(fileOf('deed.jpg'));
    await userEvent.click(button('Store in my vault'));
    await waitFor(() => expect(uploads.begun).toHaveLength(1));
    act(() => uploads.last().answer(201, { ...will, fileName: 'deed.heic', renamedFrom: 'deed.jpg' }));
    await toldOf({
      description:
        'Your document has been securely stored. We stored deed.jpg as deed.heic, because that is the kind of file it is.',
    });
  });

  it('sends it once, shows how far it is, says so, and reads everything again', async () => {
    await openForm();
    await choose(fileOf('policy.pdf'));
    await userEvent.selectOptions(screen.getByLabelText('Category *'), 'financial');
    await pasteInto(screen.getByLabelText('Description'), 'In the blue folder');
    await userEvent.click(screen.getByRole('checkbox', { name: /Show to my trusted contacts/ }));
    await userEvent.dblClick(button('Store in my vault'));
    await waitFor(() => expect(uploads.begun).toHaveLength(1));
    const { key, fields, file } = uploads.last();
    expect([key, fields, file.name]).toEqual([
      'POST /api/documents',
      { name: 'policy.pdf', category: 'financial', description: 'In the blue folder', visibleToTrustedContact: 'true' },
      'policy.pdf',
    ]);
    expect(button('Uploading…').getAttribute('aria-disabled')).toBe('true');
    act(() => uploads.last().sent(42, 100));
    expect(screen.getByText('42 %')).toBeDefined();
    expect(screen.getByRole('img', { name: '42 percent of policy.pdf uploaded' })).toBeDefined();
    act(() => uploads.last().sent(100, 100));
    expect(screen.getByText('Checking and sealing the file…')).toBeDefined();
    const reads = ['GET /api/documents/page', 'GET /api/plan-limits'];
    const before = reads.map((read) => service.count(read));
    act(() => uploads.last().answer(201, will));
    await toldOf({ title: 'Document Added', description: 'Your document has been securely stored.' });
    expect(screen.queryByRole('dialog')).toBeNull();
    await waitFor(() => reads.map((read, index) => expect(service.count(read)).toBe((before[index] ?? 0) + 1)));
  });

  it.each([
    [
      'the words of the service',
      403,
      { message: 'Verify your email first.' },
      ['Verify your email first.', 'Verify your email first. What you typed is still here.'],
    ],
    [
      'the status if a proxy has answered',
      502,
      '<h1>Bad gateway</h1>',
      ['HTTP 502', 'We can’t tell whether this was saved. Your words are still here.'],
    ],
    [
      'the status if a proxy lets no more through',
      413,
      '<h1>Too large</h1>',
      [
        'HTTP 413',
        'This is more than the network between you and Everkept lets through. What you typed is still here.',
      ],
    ],
  ] as const)('fails with %s, and keeps the typed text', async (_, status, body, [description, words]) => {
    await openForm();
    await choose(fileOf('policy.pdf'));
    await store();
    await waitFor(() => expect(uploads.begun).toHaveLength(1));
    act(() => uploads.last().answer(status, body));
    await toldOf({ title: 'Error', description, variant: 'destructive' });
    expect(screen.getByText(words)).toBeDefined();
    expect(screen.getByLabelText<HTMLInputElement>('Document Name *').value).toBe('policy.pdf');
    expect(button('Remove policy.pdf')).toBeDefined();
  });

  it('fails with a sentence of its own if the service does not answer', async () => {
    await openForm();
    await choose(fileOf('policy.pdf'));
    await store();
    await waitFor(() => expect(uploads.begun).toHaveLength(1));
    act(() => uploads.last().loseConnection());
    await toldOf({ title: 'Error', description: 'Failed to store document. Please try again.' });
  });

  it('can be cancelled, and sent again', async () => {
    await openForm();
    await choose(fileOf('policy.pdf'));
    await store();
    await userEvent.click(await screen.findByRole('button', { name: 'Cancel the upload' }));
    expect(uploads.last().isAborted).toBe(true);
    expect(await screen.findByText(/The upload was cancelled/)).toBeDefined();
    expect(document.activeElement).toBe(button('Store in my vault'));
    await store();
    await waitFor(() => expect(uploads.begun).toHaveLength(2));
  });

  it('asks before it is closed on the way, and stops then', async () => {
    await openForm();
    await choose(fileOf('policy.pdf'));
    await store();
    await waitFor(() => expect(uploads.begun).toHaveLength(1));
    await userEvent.click(button('Close'));
    const question = within(screen.getByRole('alertdialog', { name: 'Stop the upload?' }));
    await userEvent.click(question.getByRole('button', { name: 'Keep uploading' }));
    expect(uploads.last().isAborted).toBe(false);
    await userEvent.click(button('Close'));
    await userEvent.click(button('Stop the upload'));
    await waitFor(() => expect(uploads.last().isAborted).toBe(true));
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});

describe('Changing a document', () => {
  const put = `PUT /api/documents/${will.id}`;

  it('begins with the saved values, and says so', async () => {
    service.answers[put] = ok(will);
    await open();
    await userEvent.click(button('Edit The will'));
    const name = screen.getByLabelText<HTMLInputElement>('Document Name *');
    expect(name.value).toBe('The will');
    expect(screen.queryByLabelText('File *')).toBeNull();
    await pasteInto(name, ', signed');
    await userEvent.click(screen.getByRole('checkbox'));
    await userEvent.click(button('Save the changes'));
    await toldOf({ title: 'Document Updated' });
    expect(service.calls.find(({ key }) => key === put)?.body).toEqual({
      name: 'The will, signed',
      category: 'legal',
      description: 'The original is with the solicitor.',
      visibleToTrustedContact: false,
      version: will.version,
    });
  });

  it('says so where that fails', async () => {
    service.answers[put] = refused(500, 'Broken.');
    await open();
    await userEvent.click(button('Edit The will'));
    await userEvent.click(button('Save the changes'));
    expect(await screen.findByText('Broken. What you typed is still here.')).toBeDefined();
  });
});

describe('Deleting a document', () => {
  const remove = `DELETE /api/documents/${will.id}`;

  it('asks first, deletes it once, and says so', async () => {
    service.answers[remove] = ok(null);
    await open();
    await userEvent.click(button('Delete The will'));
    expect(
      screen.getByText('Are you sure you want to delete this document? It is kept for 30 days under Recently deleted.'),
    ).toBeDefined();
    expect(document.activeElement?.textContent).toBe('Keep it');
    const answer = holdAnswers();
    service.answers['GET /api/documents'] = ok([deed]);
    await userEvent.dblClick(button('Delete the document'));
    answer();
    await screen.findByRole('heading', { name: '1 Document' });
    expect(lastToast()).toMatchObject({ title: 'Document Deleted' });
    expect(service.calls.filter(({ key }) => key === remove).map(({ version }) => version)).toEqual([will.version]);
  });

  it('says so where that fails', async () => {
    service.answers[remove] = refused(500, 'Broken.');
    await open();
    await userEvent.click(button('Delete The will'));
    await userEvent.click(button('Delete the document'));
    await toldOf({
      title: 'Delete Failed',
      description: 'Unable to delete document. Please try again.',
      variant: 'destructive',
    });
  });
});
