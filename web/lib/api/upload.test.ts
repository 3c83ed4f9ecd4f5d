import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDocument } from '#shared/contract/documents.ts';
import { updateMessageWithAttachment } from '#shared/contract/messages.ts';
import { ApiError } from './api.ts';
import { fileOf, startUploads, type Uploads } from './upload.test-world.ts';
import { UploadCancelled, upload } from './upload.ts';

let uploads: Uploads;
beforeEach(() => {
  uploads = startUploads();
});
afterEach(() => uploads.stop());

const will = fileOf('will.pdf');
const send = (more: { signal?: AbortSignal; onProgress?: (progress: unknown) => void } = {}) =>
  upload(createDocument, { file: will, fields: { name: 'The will', category: 'legal', description: null }, ...more });

async function failureOf(sent: Promise<unknown>): Promise<ApiError> {
  const error = await sent.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}

describe('An upload', () => {
  it('sends the fields that have a value and the file, and gives the answer', async () => {
    const sent = send();
    uploads.last().answer(201, { id: '1', name: 'The will' });
    expect(await sent).toEqual({ id: '1', name: 'The will' });
    const { key, fields, file } = uploads.last();
    expect([key, fields, file.name]).toEqual([
      'POST /api/documents',
      { name: 'The will', category: 'legal' },
      'will.pdf',
    ]);
  });

  it('fills in the path, and writes yes and no as text', async () => {
    const fields = { title: 'A', content: 'B', recipientEmail: 'a@b.example', visibleToTrustedContact: true };
    const sent = upload(updateMessageWithAttachment, { params: { id: 'x/y' }, file: will, fields });
    uploads.last().answer(200, { id: '1', title: 'A' });
    await sent;
    expect(uploads.last().key).toBe('PUT /api/messages/x%2Fy/with-attachment');
    expect(uploads.last().fields.visibleToTrustedContact).toBe('true');
  });

  it('tells how far it has come', async () => {
    const seen: unknown[] = [];
    const sent = send({ onProgress: (progress) => seen.push(progress) });
    uploads.last().sent(40, 100);
    uploads.last().sent(100, 100);
    uploads.last().answer(201, { id: '1', name: 'The will' });
    await sent;
    expect(seen).toEqual([
      { sentBytes: 40, totalBytes: 100 },
      { sentBytes: 100, totalBytes: 100 },
    ]);
  });

  it('fails with the words and fields of the answer, as every call does', async () => {
    const sent = send();
    uploads.last().answer(403, {
      message: 'Your storage is full.',
      type: 'STORAGE_LIMIT_EXCEEDED',
      upgradeRequired: true,
      current: 499,
      limit: 500,
    });
    expect(await failureOf(sent)).toMatchObject({
      message: 'Your storage is full.',
      type: 'STORAGE_LIMIT_EXCEEDED',
      status: 403,
      upgradeRequired: true,
      current: 499,
      limit: 500,
    });
  });

  it.each([
    ['no message', 500, {}, 'HTTP 500'],
    ['nothing', 413, '', 'HTTP 413'],
    ['the page of a proxy', 502, '<html><h1>Bad Gateway</h1></html>', 'HTTP 502'],
    ['a sentence that is not JSON', 429, 'Too many uploads.', 'Too many uploads.'],
  ])('that is answered with %s has a message all the same', async (_, status, body, message) => {
    const sent = send();
    uploads.last().answer(status, body);
    expect(await failureOf(sent)).toMatchObject({ message, status });
  });

  it('that never arrives fails with status 0', async () => {
    const sent = send();
    uploads.last().loseConnection();
    expect(await failureOf(sent)).toMatchObject({ status: 0, upgradeRequired: false });
  });

  it('is stopped by its signal, whose reason it fails with', async () => {
    const controller = new AbortController();
    const sent = send({ signal: controller.signal });
    const reason = new UploadCancelled();
    controller.abort(reason);
    await expect(sent).rejects.toBe(reason);
    expect(uploads.last().isAborted).toBe(true);
  });

  it('does not begin where it was stopped before', async () => {
    const reason = new UploadCancelled();
    await expect(send({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(uploads.begun).toEqual([]);
  });
});
