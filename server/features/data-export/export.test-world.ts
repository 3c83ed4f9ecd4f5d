import { sql } from 'drizzle-orm';
import type { FileOwner, FilesWorld } from '#server/features/documents/vault-files.test-world.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import { samples, voices } from '#tests/support/forms.ts';

export const letterText = 'Dear Nell,\n\nPut the kettle on first. £20 is <b>in the jar</b> & Łucja has the key.\n\nDad';

export const ask = (owner: FileOwner, body: Record<string, unknown> = {}) =>
  owner.browser.send('POST', '/api/export-data', { body });

/** An owner with a letter and its attachment, a draft, a document, a contact and a checklist. */
export async function newFullOwner(world: FilesWorld, plan: PlanName = 'essential'): Promise<FileOwner> {
  const owner = await world.newOwner(plan);
  const fields = { title: 'For <Nell>', content: letterText, recipientEmail: 'nell@family.example', status: 'ready' };
  const written = await owner.upload({ fields, file: { name: 'a map.pdf', content: samples.pdf } }, [
    'POST',
    '/api/messages/with-attachment',
  ]);
  await encloseBoth(owner, written.json<{ id: string }>().id);
  await world.write(owner, { title: 'A draft', content: 'Not yet.', status: 'draft' });
  const about = { name: 'House & home', category: 'legal', description: 'Signed', visibleToTrustedContact: 'true' };
  await owner.upload({ fields: about, file: { name: '../deed.txt', content: samples.txt } });
  await world.befriend(owner, { name: 'Ada Shah', email: `ada.${owner.email}`, phone: '07700 900123' });
  await owner.browser.send('PUT', '/api/user/checklists/funeral', {
    body: {
      customItems: [{ text: 'Ask Tom to sing', isListed: true, changedAtMs: 5 }],
      completedItems: [{ text: 'Ask Tom to sing', isCompleted: true, changedAtMs: 6 }],
      resetAtMs: 0,
    },
  });
  return owner;
}

/** Puts a voice, which is written down, and a picture into a message. */
async function encloseBoth(owner: FileOwner, messageId: string): Promise<void> {
  const url = `/api/messages/${messageId}/enclosures`;
  const voice = { fields: { caption: 'For Sundays' }, file: { name: 'my voice.wav', content: voices.wav } };
  const made = await owner.upload(voice, ['POST', url]);
  const { id } = made.json<{ id: string }>();
  await owner.browser.send('PUT', `${url}/${id}`, { body: { transcript: 'Put the kettle on <first>.' } });
  const picture = { fields: { caption: 'The garden' }, file: { name: 'garden.png', content: samples.png } };
  await owner.upload(picture, ['POST', url]);
}

/** What was written down of an owner under these actions. */
export async function auditOf(world: FilesWorld, userId: string, action: string) {
  const { rows } = await world.database.db.execute<{ details: Record<string, unknown> }>(
    sql`select details from audit_logs where user_id = ${userId} and action = ${action} order by position`,
  );
  return rows.map(({ details }) => details);
}
