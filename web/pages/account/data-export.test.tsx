import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exportFurtherHeader, exportKeyHeader, exportSizeHeader } from '#shared/contract/export.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { ok, openPage, type Service, startVault } from '#web/pages/vault/vault.test-world.ts';
import { DataExportPage } from './data-export.tsx';

type Saved = { name: string; text: Promise<string> };
const key = 'ABCD-EFGH';
const archive = 'everkept-export-2026-11-20.zip';
const call = 'POST /api/export-data';

let service: Service;
let saved: Saved[];
const real = { fetch: globalThis.fetch, click: HTMLAnchorElement.prototype.click };
const blobs = new Map<string, Blob>();

beforeEach(() => {
  service = startVault();
  saved = [];
  URL.createObjectURL = (blob) => {
    const url = `blob:${blobs.size}`;
    blobs.set(url, blob as Blob);
    return url;
  };
  URL.revokeObjectURL = () => undefined;
  HTMLAnchorElement.prototype.click = function click() {
    saved.push({ name: this.download, text: textOf(blobs.get(this.href)) });
  };
});
afterEach(() => {
  HTMLAnchorElement.prototype.click = real.click;
  service.stop();
});

function textOf(blob: Blob | undefined): Promise<string> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    if (blob) reader.readAsText(blob);
  });
}

/** Lets the service answer an export with a file, as long as it wants none of the other answers. */
function answerWithFile(
  stream?: ReadableStream<Uint8Array> | null,
  onAbort = () => {},
  others: Record<string, string> = {},
): void {
  const rest = globalThis.fetch;
  globalThis.fetch = async (url, init) => {
    if (url !== '/api/export-data' || service.answers[call]) return rest(url, init);
    service.calls.push({ key: call, body: JSON.parse(String(init?.body)) });
    init?.signal?.addEventListener('abort', onAbort);
    const headers = {
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="${archive}"; filename*=UTF-8''${archive}`,
      [exportKeyHeader]: key,
      [exportSizeHeader]: '1000',
      ...others,
    };
    return new Response(stream ?? 'the archive', { headers });
  };
}

const incomplete = { title: 'Export Incomplete', description: expect.stringMatching(/without 2 large files/) };
const open = () => openPage(DataExportPage, { route: '/data-export', at: '/data-export' });
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));

describe('Data Export & Account Management', () => {
  it('begins with the encrypted archive, with documents and without the log', () => {
    open();
    expect(screen.getByRole('heading', { level: 1, name: 'Data Export & Account Management' })).toBeDefined();
    const isChecked = (name: RegExp) => (screen.getByLabelText(name) as HTMLInputElement).checked;
    expect([/Encrypted archive \(recommended\)/, /JSON data/, /documents/, /audit logs/].map(isChecked)).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('explains for each format how it holds documents', async () => {
    open();
    expect(screen.getByText(/^The files of your documents and attachments/)).toBeDefined();
    await userEvent.click(screen.getByLabelText(/PDF book/));
    expect(
      screen.getByText('The book lists your documents. The files themselves are in the other formats.'),
    ).toBeDefined();
    // There is nothing to choose: the list stays, and no book holds files.
    const documents = screen.getByLabelText(/Include documents/) as HTMLInputElement;
    expect([documents.disabled, documents.checked]).toEqual([true, true]);
    expect(screen.queryByText(/^The files of your documents and attachments/)).toBeNull();
  });

  it('saves the archive and its key as two files, and says so', async () => {
    answerWithFile();
    open();
    await press('Export Data');
    await waitFor(() => expect(currentToasts()[0]?.title).toBe('Export Complete'));
    expect(service.calls.find((made) => made.key === call)?.body).toEqual({
      format: 'encrypted-zip',
      includeDocuments: true,
      includeAuditLogs: false,
    });
    expect(saved.map(({ name }) => name)).toEqual([archive, 'everkept-export-2026-11-20.key.txt']);
    expect(await saved[0]?.text).toBe('the archive');
    expect((await saved[1]?.text)?.split('\r\n')).toContain(key);
    await press('Save the key again');
    expect(saved[2]?.name).toBe('everkept-export-2026-11-20.key.txt');
  });

  it('sends the chosen options', async () => {
    answerWithFile();
    open();
    await userEvent.click(screen.getByLabelText(/JSON data/));
    await userEvent.click(screen.getByLabelText(/documents/));
    await userEvent.click(screen.getByLabelText(/audit logs/));
    await press('Export Data');
    await waitFor(() => expect(currentToasts()[0]?.title).toBe('Export Complete'));
    expect(service.calls.find((made) => made.key === call)?.body).toEqual({
      format: 'json',
      includeDocuments: false,
      includeAuditLogs: true,
    });
  });

  it('seals a page with a passphrase that was typed twice, and saves the large files beside it', async () => {
    const further = '0123456789abcdef';
    answerWithFile(null, undefined, { [exportKeyHeader]: '', [exportFurtherHeader]: further });
    open();
    await userEvent.click(screen.getByLabelText(/Page that opens anywhere/));
    const [first, again] = [screen.getByLabelText('Passphrase'), screen.getByLabelText('Passphrase once more')];
    await userEvent.type(first, 'lemon tree');
    await press('Export Data');
    expect(screen.getByText(/^Use at least 12 letters or digits/)).toBeDefined();
    await userEvent.type(first, ' at Nan’s');
    await userEvent.type(again, 'Lemon tree at Nana’s');
    await press('Export Data');
    expect(screen.getByText(/^This is not the same/)).toBeDefined();
    expect(service.calls.filter((made) => made.key === call)).toEqual([]);
    await userEvent.clear(again);
    await userEvent.type(again, 'Lemon tree at Nan’s');
    await press('Export Data');
    await waitFor(() => expect(currentToasts()[0]?.title).toBe('Export Complete'));
    expect(currentToasts()[0]?.description).toContain('a large file beside it');
    const page = { format: 'html', includeDocuments: true, includeAuditLogs: false, passphrase: 'lemon tree at Nan’s' };
    expect(service.calls.filter((made) => made.key === call).map(({ body }) => body)).toEqual([
      page,
      { ...page, further },
    ]);
    expect(saved).toHaveLength(2);
  });

  const ids = ['0123456789abcdef', '0123456789abcdee', '0123456789abcded'];
  /** Exports a page with three files beside it. `limit` may answer for all files but the first. */
  async function exportPage(limit: (init?: RequestInit) => Response | Promise<Response> | undefined) {
    answerWithFile(null, undefined, { [exportKeyHeader]: '', [exportFurtherHeader]: ids.join() });
    const rest = globalThis.fetch;
    globalThis.fetch = async (url, init) => {
      const isLimited = url === '/api/export-data' && ids.indexOf(JSON.parse(String(init?.body)).further) > 0;
      return (isLimited && limit(init)) || rest(url, init);
    };
    open();
    await userEvent.click(screen.getByLabelText(/Page that opens anywhere/));
    for (const label of ['Passphrase', 'Passphrase once more'])
      await userEvent.type(screen.getByLabelText(label), 'lemon tree at Nan’s');
    await press('Export Data');
    await waitFor(() => expect(saved.length).toBeGreaterThanOrEqual(2));
  }

  it('asks for large files again where there were too many for a minute', async () => {
    const answers = [new Response(null, { status: 429, headers: { 'retry-after': '0' } })];
    await exportPage(() => answers.pop());
    await waitFor(() => expect(currentToasts()[0]?.title).toBe('Export Complete'));
    expect(saved).toHaveLength(4);
  });

  it('counts the large files that a saved page lacks where the rest was cancelled', async () => {
    await exportPage(
      (init) => new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))),
    );
    await press('Cancel the export');
    await waitFor(() => expect(currentToasts()[0]).toMatchObject(incomplete));
    expect(saved).toHaveLength(2);
  });

  it('says so too where the sign-in ran out before large files, and was not given again', async () => {
    const old = { message: 'Once more.', type: 'REAUTHENTICATION_REQUIRED' };
    await exportPage(() => Response.json(old, { status: 403 }));
    await screen.findByLabelText('Password');
    await press('Close');
    await waitFor(() => expect(currentToasts()[0]).toMatchObject(incomplete));
  });

  it('asks for the password where the sign-in is old, and then goes on by itself', async () => {
    service.answers[call] = { status: 403, body: { message: 'Once more.', type: 'REAUTHENTICATION_REQUIRED' } };
    service.answers['POST /api/user/reauthenticate'] = { status: 400, body: { message: 'That is not your password.' } };
    answerWithFile();
    open();
    await press('Export Data');
    await userEvent.type(await screen.findByLabelText('Password'), 'wrong');
    await press('Go on with the export');
    await screen.findByText('That is not your password.');
    service.answers['POST /api/user/reauthenticate'] = ok({ ok: true });
    delete service.answers[call];
    await press('Go on with the export');
    await waitFor(() => expect(saved).toHaveLength(2));
    expect(screen.queryByLabelText('Password')).toBeNull();
  });

  it('shows the progress, and saves nothing of a cancelled export', async () => {
    let given: ReadableStreamDefaultController<Uint8Array> | undefined;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        given = controller;
      },
    });
    answerWithFile(stream, () => given?.error(new DOMException('Cancelled', 'AbortError')));
    open();
    await press('Export Data');
    given?.enqueue(new Uint8Array(400));
    await screen.findByText('40 %');
    expect(screen.getByText('Exporting, 400 bytes so far')).toBeDefined();
    await press('Cancel the export');
    await screen.findByRole('button', { name: 'Export Data' });
    expect(currentToasts()[0]?.title).toBe('Export Cancelled');
    expect(saved).toEqual([]);
  });

  it.each([
    [{ status: 503, body: { message: 'Come back later.' } }, 'Come back later.'],
    [{ status: 500, body: null }, '500: '],
  ])('says why it failed: %j', async (answer, sentence) => {
    service.answers[call] = answer;
    open();
    await press('Export Data');
    await waitFor(() => expect(currentToasts()[0]).toMatchObject({ title: 'Export Failed', variant: 'destructive' }));
    expect(currentToasts()[0]?.description).toBe(sentence);
    expect(saved).toEqual([]);
  });

  it('says so where the file broke off', async () => {
    answerWithFile(new ReadableStream({ start: (controller) => controller.error(new TypeError('network error')) }));
    open();
    await press('Export Data');
    await waitFor(() =>
      expect(currentToasts()[0]).toMatchObject({ title: 'Export Failed', description: 'Failed to export data' }),
    );
    expect(saved).toEqual([]);
  });
});
