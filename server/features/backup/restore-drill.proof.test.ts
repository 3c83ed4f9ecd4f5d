import { inArray } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anchorAudit, verifyAudit } from '#server/features/audit/audit.ts';
import {
  createReleaseWorld,
  type Friend,
  nowhere,
  type Owner,
  type ReleaseWorld,
} from '#server/features/release/release.test-world.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
import { backupTime, createBackups, restoreWorld } from './restore.test-world.ts';

const slow = 'nell@slow.example';
const breaker = 'More than 10 owners would have moved on in one day.';
const hourDays = 1 / 24;

/** Mails to an owner whose contact had been asked. */
const told = ['release.contact_ended', 'release.owner_ended', 'release.owner_restored'];

let backups: Awaited<ReturnType<typeof createBackups>>;
/** The installation that is lost. */
let lost: ReleaseWorld;
/** Has an hour or two left until silence releases; comes back after the backup. */
let silent: { owner: Owner; contact: Friend };
/** The letter waits for a mail server that does not accept it yet. */
let released: { owner: Owner; contact: Friend };
let path: string;
/** Backup that was made after the breaker had stopped everything. */
let pathOfStopped: string;

beforeAll(async () => {
  backups = await createBackups();
  lost = await createReleaseWorld();
  silent = await ownerWith('For Tom', 'tom@post.example');
  released = await ownerWith('For Nell', slow);
  await lost.live(96.9);
  lost.mailer.answer(({ to }) =>
    to.address === slow ? { outcome: 'temporary', replyCode: 451 } : { outcome: 'accepted' },
  );
  await lost.answer(released.contact, true);
  await lost.live(hourDays / 2);
  path = await backups.backUp(lost);
  await lost.releases.freeze(breaker);
  pathOfStopped = await backups.backUp(lost);
  // This check-in is lost with the database.
  await checkIn(lost, silent.owner);
});

afterAll(async () => {
  await lost.close();
  await backups.remove();
});

async function ownerWith(title: string, recipientEmail: string) {
  const owner = await lost.newOwner({ inactivityDays: 90, releaseMethod: 'inactivity', phone: '+447700900123' });
  const contact = await lost.befriend(owner, title.replace(/\W/g, ''));
  await lost.write(owner, recipientEmail);
  return { owner, contact };
}

const restore = (from: string) => restoreWorld(lost, from);

async function stateOf(world: ReleaseWorld, { owner }: { owner: Owner }) {
  return world.stateOf(owner);
}

/** Kinds of mails that this installation sent about an owner, sorted. */
async function sentBy({ db, mailer }: ReleaseWorld, { owner }: { owner: Owner }): Promise<string[]> {
  const ids = mailer.sent.map(({ messageId }) => messageId);
  const { kind, userId, messageId } = notifications;
  const rows = await db.select({ kind, userId }).from(notifications).where(inArray(messageId, ids));
  return rows.flatMap((row) => (row.userId === owner.userId ? [row.kind] : [])).toSorted();
}

async function checkIn(world: ReleaseWorld, { email }: Owner): Promise<void> {
  await world.ownersRelease.checkInByLink(world.linkIn(email, '/check-in/'), nowhere);
}

test('the audit log verifies in the new installation, and matches the anchor from before the backup', async () => {
  const anchor = await anchorAudit(lost.app, '2026-11-14');
  const world = await restore(await backups.backUp(lost));
  expect(await verifyAudit(world.app, [anchor])).toMatchObject({ ok: true, anchors: 1 });
  await world.live(2);
  expect(await verifyAudit(world.app, [anchor])).toMatchObject({ ok: true });
});

test('hours before silence releases: the owner is notified, and gets the whole time from then on', async () => {
  expect(await stateOf(lost, silent)).toBe('watching');
  const world = await restore(path);
  expect(await stateOf(world, silent)).toBe('asking');
  expect(await world.releases.resume()).toBe('hindered');
  expect(await world.releases.freezes()).toMatchObject({
    reason: `The database was restored from a backup of ${backupTime}.`,
    restored: { notBegun: 2, ownersAsked: 1, ownersReleasing: 1, lettersWaiting: 1, hindrance: { why: 'not_told' } },
  });

  await world.live(2.9);
  expect(await sentBy(world, silent)).toEqual(told);
  const words = world.mailer.sent.filter(({ to }) => to.address === silent.owner.email).map(({ text }) => text);
  expect(words.join(' ').replace(/\s+/g, ' ')).toContain('we had to go back to our records of 14 November 2026');
  const texts = world.texter.sent.map(
    ({ text }) => text.slice('Everkept: Sam, '.length).split(/\. (?:Reply YES|To stop it, reply)/)[0],
  );
  expect(texts.toSorted()).toEqual([
    'the request for your messages has ended. Nothing was sent',
    'we had to go back to older records, and may have missed that you checked in',
    'we had to go back to older records, and may have missed that you checked in',
    'your messages wait for you, since we had to go back to older records',
  ]);
  expect((await world.releases.freezes()).restored).toMatchObject({ notBegun: 0, hindrance: { why: 'too_soon' } });
  expect(await world.releases.resume()).toBe('hindered');
  await world.live(0.2);
  expect(await world.releases.resume()).toBe('done');

  await world.live(9);
  expect(await stateOf(world, silent)).toBe('warned');
  expect(await sentBy(world, silent)).toEqual([...told, 'release.last_reminder'].toSorted());
  await checkIn(world, silent.owner);
  expect(await stateOf(world, silent)).toBe('watching');
  await world.live(20);
  expect(await sentBy(world, silent)).not.toContain('delivery.letter');
});

test('a letter that was on its way waits for the operator, and leaves once', async () => {
  const world = await restore(path);
  await world.live(5);
  expect(await stateOf(world, released)).toBe('releasing');
  expect(await sentBy(world, released)).toEqual(['release.owner_letters_wait', 'release.owner_restored']);
  expect(await world.releases.resume()).toBe('done');
  await world.live(1);
  expect(await stateOf(world, released)).toBe('released');
  expect((await sentBy(world, released)).filter((kind) => kind === 'delivery.letter')).toHaveLength(1);
});

test('an owner who checks in from the mail stops everything, and no mail waits for them any more', async () => {
  const world = await restore(path);
  await world.live(hourDays);
  for (const { owner } of [silent, released]) await checkIn(world, owner);
  expect([await stateOf(world, silent), await stateOf(world, released)]).toEqual(['watching', 'halted']);
  expect(await world.releases.resume()).toBe('done');
  await world.live(1);
  expect(await sentBy(world, released)).not.toContain('delivery.letter');
});

test('an earlier stop stays, and a second restore notifies and waits again', async () => {
  const once = await restore(pathOfStopped);
  await Promise.all([once.releases.sweep(), once.releases.sweep()]);
  await once.live(4);
  expect(await sentBy(once, silent)).toEqual(told);
  const { reason, restored } = await once.releases.freezes();
  expect(reason).toBe(
    `The database was restored from a backup of ${backupTime}. It had been stopped before that: ${breaker}`,
  );
  expect(restored).toMatchObject({ hindrance: null });

  const twice = await restore(await backups.backUp(once));
  expect((await twice.releases.freezes()).restored).toMatchObject({ notBegun: 2, hindrance: { why: 'not_told' } });
  await twice.live(hourDays);
  expect(await sentBy(twice, silent), 'their request had ended before').toEqual(['release.owner_restored']);
  expect(await twice.releases.resume()).toBe('hindered');
});
