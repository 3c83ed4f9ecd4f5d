import type { FileOwner, FilesWorld } from '#server/features/documents/vault-files.test-world.ts';
import { formBody } from '#tests/support/forms.ts';

let calls = 0;

export type Sent = { key?: string | undefined; preview?: boolean; takeSettings?: boolean; asReady?: boolean };

/** Sends an export to be taken in. Each call from an address of its own, so that no budget of an address is shared. */
export function sendImport(world: FilesWorld, owner: FileOwner, content: Buffer | string, sent: Sent = {}) {
  calls += 1;
  const given = Object.entries(sent).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const { body, type } = formBody({ fields: Object.fromEntries(given), file: { name: 'export', content } });
  const headers = {
    'content-type': type,
    'sec-fetch-site': 'same-origin',
    'x-forwarded-for': `10.1.${calls >> 8}.${calls & 255}`,
    cookie: owner.browser.cookie ?? '',
  };
  return world.app.inject({ method: 'POST', url: '/api/import-data', headers, payload: body });
}

export type Row = Record<string, unknown>;
export type Exported = {
  account: Row;
  messages: Row[];
  documents: Row[];
  contacts: Row[];
  checklists: Row[];
};
