import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import { dispatchDue } from '#server/features/notifications/notifications.dispatch.ts';
import { createReleaseWorld, type Owner, type ReleaseWorld } from './release.test-world.ts';

/** A server that refuses our mail for a reason that is none of the mailbox: 550 5.7.26. */
const byPolicy = { outcome: 'temporary', replyCode: 550, isTrouble: true } as const;
const never = { outcome: 'refused', replyCode: 550 } as const;
const ok = { outcome: 'accepted' } as const;

let world: ReleaseWorld;
beforeAll(async () => {
  world = await createReleaseWorld();
});
afterAll(() => world.close());
afterEach(async () => {
  await world.clear();
  expect(world.logged.splice(0)).toEqual([]);
});

const problemsOf = async (owner: Owner) =>
  (await world.ownersRelease.overview(owner.userId)).problems.map(({ type }) => type);

/** Writes a mail about an account, of a feature that is none of release. */
async function notice(owner: Owner, address: string): Promise<void> {
  const mail = { subject: 'Notice', html: '<p>Notice</p>', text: 'Notice' };
  const cause = { channel: 'email', kind: 'accounts.second-factor', userId: owner.userId, subjectId: null } as const;
  const at = await world.clock.now();
  await enqueueNotification(world.app, world.db, { ...cause, dedupeKey: randomUUID(), at, to: { address }, mail });
  await dispatchDue(world.app);
}

test('any mail to an owner that was refused is a problem for 30 days, also if a later one was accepted', async () => {
  const owner = await world.newOwner();
  await world.befriend(owner, 'Priya');
  await world.write(owner, 'nell@post.example');
  world.mailer.answer(({ to }) => (to.address === owner.email ? never : ok));
  await notice(owner, 'somebody@post.example');
  await notice(owner, owner.email);
  world.mailer.answer(null);
  await notice(owner, owner.email);
  expect(await problemsOf(owner)).toEqual(['own_mail_refused']);
  await world.live(29.9);
  expect(await problemsOf(owner)).toEqual(['own_mail_refused']);
  await world.live(0.2);
  expect(await problemsOf(owner)).toEqual([]);
});

test('mail about an account that a reader refused is no mail to its owner', async () => {
  const owner = await world.newOwner();
  await world.befriend(owner, 'Priya');
  await world.write(owner, 'nell@post.example');
  world.mailer.answer(({ to }) => (to.address === 'nell@post.example' ? never : ok));
  await notice(owner, 'somebody@post.example');
  await notice(owner, 'nell@post.example');
  expect(await problemsOf(owner)).toEqual([]);
});

test('an owner with mail in trouble and no contact: the operator and the dashboard are notified', async () => {
  const owner = await world.newOwner();
  await world.write(owner, 'nell@post.example');
  expect(await problemsOf(owner)).toEqual(['no_confirmed_contact']);
  world.mailer.answer(({ to }) => (to.address === owner.email ? byPolicy : ok));
  const isTold = () =>
    world.subjects('operator@everkept.example').some((subject) => subject.includes('letters of an account stay'));
  await world.live(89.5);
  expect(await problemsOf(owner)).toContain('nobody_to_ask');
  expect(await problemsOf(owner)).not.toContain('no_confirmed_contact');
  expect(isTold()).toBe(false);
  await world.live(1);
  expect(isTold()).toBe(true);
  await world.live(3);
  const { rows } = await world.db.execute(sql`select 1 from notifications where kind = 'operator.untold-owner'`);
  expect(rows, 'once').toHaveLength(1);
  expect(world.subjects('nell@post.example')).toEqual([]);
});
