import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPage, type Service, startVault } from '#web/pages/vault/vault.test-world.ts';
import { DataExportPage } from './data-export.tsx';

const now = {
  releaseMethod: 'inactivity',
  inactivityDays: 90,
  quorum: 1,
  waitingDays: 3,
  answerDays: 7,
  awayUntil: null,
};
const inExport = { ...now, releaseMethod: 'trusted_contact', inactivityDays: 180 };
const answer = {
  isPreview: false,
  messages: 2,
  readyMessages: 0,
  documents: 1,
  contacts: 0,
  checklists: 0,
  alreadyThere: 3,
  withoutFile: 0,
  stays: [] as object[],
  settings: { now, inExport: now, areTaken: false },
};
const preview = { ...answer, isPreview: true };
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
const look = () => userEvent.click(screen.getByRole('button', { name: 'See What Is in It' }));
const press = async () => userEvent.click(await screen.findByRole('button', { name: 'Import Data' }));

describe('The import card', () => {
  it('sends an archive with its key, and lists the imported items', async () => {
    answers = [
      { status: 400, body: { message: wrongKey, issues: [{ path: 'key', message: wrongKey }] } },
      { status: 200, body: preview },
      { status: 200, body: answer },
    ];
    await choose('everkept-export.zip');
    expect((screen.getByRole('button', { name: 'See What Is in It' }) as HTMLButtonElement).disabled).toBe(true);
    await userEvent.type(screen.getByLabelText('Key'), 'ABCD');
    await look();
    await screen.findByText(wrongKey);
    await look();
    await screen.findByText('To be added: 2 messages, 1 document, 0 trusted contacts. 3 are here already.');
    await press();
    await screen.findByText('Added: 2 messages, 1 document, 0 trusted contacts. 3 were here already.');
    expect(sent.map((form) => form.get('key'))).toEqual(['ABCD', 'ABCD', 'ABCD']);
    expect(sent.map((form) => form.get('preview'))).toEqual(['true', 'true', null]);
    expect(new Set(sent.map((form) => (form.get('file') as File).name))).toEqual(new Set(['everkept-export.zip']));
  });

  it('does not say that an import brought something where it brought nothing', async () => {
    const none = { messages: 0, documents: 0, alreadyThere: 1 };
    answers = [
      { status: 200, body: { ...preview, ...none } },
      { status: 200, body: { ...answer, ...none } },
    ];
    await choose('everkept-export.json');
    await look();
    await press();
    await screen.findByText('Nothing was added. 1 was here already.');
  });

  it('needs no key for JSON, and shows why it was refused', async () => {
    answers = [{ status: 400, body: { message: 'This file is incomplete or damaged.' } }];
    await choose('everkept-export.json');
    expect(screen.queryByLabelText('Key')).toBeNull();
    await look();
    await screen.findByText('This file is incomplete or damaged.');
  });

  it('shows both settings and the items that will not fit, and takes over the ticked ones alone', async () => {
    const stays = [{ kind: 'message', title: 'For Nell', reason: 'Free has room for 2 messages.' }];
    const settings = { now, inExport, areTaken: false };
    answers = [
      { status: 200, body: { ...preview, stays, settings, readyMessages: 1 } },
      { status: 200, body: { ...answer, stays, settings: { ...settings, areTaken: true }, readyMessages: 1 } },
    ];
    await choose('everkept-export.json');
    await look();
    await screen.findByText('For Nell');
    expect(screen.getByRole('row', { name: 'Inactivity period 90 days 180 days' })).toBeDefined();
    expect(screen.getByRole('row', { name: /Release method Automatically.* Only when a trusted/ })).toBeDefined();
    const box = (name: RegExp) => screen.getByRole('checkbox', { name }) as HTMLInputElement;
    expect([box(/Take over/).checked, box(/Keep ready/).checked]).toEqual([false, false]);
    await userEvent.click(box(/Take over/));
    await press();
    await screen.findByText(/Your release settings are those of the export/);
    expect([sent[1]?.get('takeSettings'), sent[1]?.get('asReady')]).toEqual(['true', 'false']);
    // Items that were not imported are listed after the import too.
    expect(screen.getByText('For Nell')).toBeDefined();
  });

  it('has nothing to tick where nothing differs', async () => {
    answers = [{ status: 200, body: preview }];
    await choose('everkept-export.json');
    await look();
    await screen.findByText(/To be added/);
    expect(screen.queryByRole('checkbox', { name: /Take over|Keep ready/ })).toBeNull();
  });
});
