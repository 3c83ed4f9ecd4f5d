import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createFilesWorld,
  type FileOwner,
  type FilesWorld,
} from '#server/features/documents/vault-files.test-world.ts';
import { exportKeyHeader } from '#shared/contract/export.ts';
import { samples } from '#tests/support/forms.ts';
import { extractWithSevenZip } from '#tests/support/seven-zip.ts';
import { ask, newFullOwner } from './export.test-world.ts';

let world: FilesWorld;
let owner: FileOwner;
let places: { map: string; deed: string };
beforeAll(async () => {
  world = await createFilesWorld();
  owner = await newFullOwner(world);
  const { rows } = await world.database.db.execute<{ map: string; deed: string }>(
    sql`select (select attachment_path from messages where user_id = ${owner.userId} and has_attachment) as map,
      (select file_path from documents where user_id = ${owner.userId}) as deed`,
  );
  places = rows[0] ?? { map: '', deed: '' };
});
afterAll(() => world.close());

async function archiveOf() {
  const answer = await ask(owner);
  const { files } = await extractWithSevenZip(answer.rawPayload, String(answer.headers[exportKeyHeader]));
  return { files, page: files.get('index.html')?.toString() ?? '', data: JSON.parse(String(files.get('vault.json'))) };
}

/** What stands where a document was, while its stored bytes are others. */
async function archivedWith(change: (stored: Buffer) => Buffer) {
  const { files } = world.store;
  const whole = Buffer.from(files.get(places.deed) ?? '');
  files.set(places.deed, change(Buffer.from(whole)));
  const archive = await archiveOf().finally(() => files.set(places.deed, whole));
  return archive;
}

const flipped = (at: number) => (stored: Buffer) => {
  stored[at] = (stored[at] ?? 0) ^ 1;
  return stored;
};

// The header is a byte for the version, then the key of the file, sealed.
test.each([
  ['of another version', flipped(0)],
  ['whose key was touched', flipped(20)],
  ['that was cut within', (stored: Buffer) => stored.subarray(0, 20)],
  ['that is not there', () => Buffer.alloc(0)],
])('a file with a header %s stands in an archive as zeros, and is said to be damaged', async (_, change) => {
  const { files, page, data } = await archivedWith(change);
  expect(files.get('document-001.txt')?.equals(Buffer.alloc(samples.txt.length))).toBe(true);
  expect(data.documents[0].file).toEqual({
    name: 'deed.txt',
    mimeType: 'text/plain',
    sizeBytes: samples.txt.length,
    file: 'document-001.txt',
    problem: 'damaged',
  });
  expect(page).toContain('deed.txt</a>, which is damaged in the vault');
  expect(files.get('letter-001.pdf')?.equals(samples.pdf)).toBe(true);
  expect(data.messages[0].attachment).not.toHaveProperty('problem');
});

test('a file that is gone is said to be missing, and nothing stands in the archive in its place', async () => {
  const { files } = world.store;
  const map = files.get(places.map) ?? Buffer.alloc(0);
  files.delete(places.map);
  const archive = await archiveOf().finally(() => files.set(places.map, map));
  expect([...archive.files.keys()].toSorted()).toEqual([
    'document-001.txt',
    'index.html',
    'letter-001-2.wav',
    'letter-001-3.png',
    'vault.json',
  ]);
  const { attachment } = archive.data.messages[0];
  expect(attachment).toMatchObject({ name: 'a map.pdf', problem: 'missing' });
  expect(attachment).not.toHaveProperty('file');
  expect(archive.page).toContain('a map.pdf, which is missing in the vault');
  expect(archive.files.get('document-001.txt')?.equals(samples.txt)).toBe(true);
});

test('what a contact proposed and is damaged keeps nobody from the rest of an export', async () => {
  const { db } = world.database;
  await db.execute(sql`
    with request as (
      insert into release_requests (id, user_id, cause, inactivity_days, needed, answer_days, waiting_days, opened_at,
        opened_healthy_ms, is_silence_over, phase, phase_at, phase_healthy_ms, closed_at, outcome)
      values (gen_random_uuid(), ${owner.userId}, 'silence', 90, 1, 7, 3, now(), 0, true, 'asking', now(), 0, now(),
        'left_as_it_is') returning id, user_id
    ), delivery as (
      insert into message_deliveries
        (id, message_id, user_id, request_id, recipient_id, recipient_email, recipient_name, person_key, say_key,
          mail_id, release_number, delivery_token, status, expires_at, created_at)
      select gen_random_uuid(), messages.id, request.user_id, request.id, gen_random_uuid(), 'broken', 'broken', 'nobody',
        'nobody', gen_random_uuid(), 1, 'nobody-has-it', 'bounced', now(), now()
      from request join messages on messages.user_id = request.user_id and has_attachment
      returning id, request_id, user_id
    )
    insert into address_proposals (id, user_id, request_id, delivery_id, contact_id, address, reason, status, created_at)
    select gen_random_uuid(), delivery.user_id, request_id, delivery.id, trusted_contacts.id, 'broken', 'broken', 'proposed', now()
    from delivery join trusted_contacts on trusted_contacts.user_id = delivery.user_id`);
  const { data } = await archiveOf();
  expect(data.proposedAddresses).toMatchObject([{ address: '', reason: '', status: 'proposed', problem: 'damaged' }]);
  expect(data.deliveries).toMatchObject([{ recipientEmail: '', problem: 'damaged' }]);
  expect(data.messages).toHaveLength(2);
});
