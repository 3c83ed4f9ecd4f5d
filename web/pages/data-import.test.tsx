import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { currentToasts } from '#web/lib/toast.ts';
import { DataExportPage } from './data-export.tsx';
import { openPage, type Service, startVault } from './vault.test-world.ts';

const answer = { messages: 2, documents: 1, contacts: 0, checklists: 0, alreadyThere: 3, withoutFile: 0 };
const wrongKey = 'This key does not open the archive.';

let service: Service;
let sent: FormData[];
let answers: { status: number; body: unknown }[];
const RealRequest = globalThis.XMLHttpRequest;

beforeEach(() => {
  service = startVault();
  sent = [];
  answers = [];
  globalThis.XMLHttpRequest = FakeRequest as unknown as typeof XMLHttpRequest;
});
afterEach(() => {
  globalThis.XMLHttpRequest = RealRequest;
  service.stop();
});

/** Answers an upload at once with the next of `answers`. */
class FakeRequest {
  upload = {};
  status = 0;
  responseText = '';
  withCredentials = false;
  onload: (() => void) | undefined;
  open() {}
  setRequestHeader() {}
  getResponseHeader = () => 'application/json';
  abort() {}
  send(form: FormData) {
    sent.push(form);
    const next = answers.shift() ?? { status: 500, body: {} };
    this.status = next.status;
    this.responseText = JSON.stringify(next.body);
    queueMicrotask(() => this.onload?.());
  }
}

async function choose(name: string): Promise<void> {
  openPage(DataExportPage, { route: '/data-export', at: '/data-export' });
  await userEvent.upload(screen.getByLabelText('Export file'), new File(['x'], name));
}
const press = () => userEvent.click(screen.getByRole('button', { name: 'Import Data' }));

describe('The import card', () => {
  it('sends an archive with its key, and says what came in', async () => {
    answers = [
      { status: 400, body: { message: wrongKey, issues: [{ path: 'key', message: wrongKey }] } },
      { status: 200, body: answer },
    ];
    await choose('everkept-export.zip');
    expect((screen.getByRole('button', { name: 'Import Data' }) as HTMLButtonElement).disabled).toBe(true);
    await userEvent.type(screen.getByLabelText('Key'), 'ABCD');
    await press();
    await screen.findByText(wrongKey);
    await press();
    await screen.findByText('Added: 2 messages, 1 document, 0 trusted contacts. 3 were here already.');
    expect(sent.map((form) => form.get('key'))).toEqual(['ABCD', 'ABCD']);
    expect(sent.map((form) => (form.get('file') as File).name)).toEqual(['everkept-export.zip', 'everkept-export.zip']);
  });

  it('does not say that an import brought something where it brought nothing', async () => {
    answers = [{ status: 200, body: { ...answer, messages: 0, documents: 0, alreadyThere: 1 } }];
    await choose('everkept-export.json');
    await press();
    await screen.findByText('Nothing was added. 1 was here already.');
    expect(currentToasts()[0]?.title).toBe('Nothing Was Added');
  });

  it('needs no key for JSON, and shows why it was refused', async () => {
    answers = [{ status: 400, body: { message: 'This file is cut or damaged.' } }];
    await choose('everkept-export.json');
    expect(screen.queryByLabelText('Key')).toBeNull();
    await press();
    await screen.findByText('This file is cut or damaged.');
  });
});
