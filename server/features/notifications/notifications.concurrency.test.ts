import { describe, expect, it } from 'vitest';
import { cancelNotificationsFor } from './cancel.ts';
import { enqueueNotification, enqueueNotifications } from './enqueue.ts';
import { dispatchDue } from './notifications.dispatch.ts';
import { ok, prepareNotifications } from './notifications.test-world.ts';

const place = prepareNotifications();

const lanesAtOnce = 6;

/** Notifications over a mail server that answers only on demand. */
function prepareSlowServer() {
  const built = place.build();
  const answering = Promise.withResolvers<void>();
  const seen = { atOnce: 0, mostAtOnce: 0 };
  built.mailer.answer(async () => {
    seen.atOnce += 1;
    seen.mostAtOnce = Math.max(seen.mostAtOnce, seen.atOnce);
    await answering.promise;
    seen.atOnce -= 1;
    return ok;
  });
  return { ...built, seen, letAnswer: answering.resolve };
}

async function enqueueSome(world: ReturnType<typeof place.build>, count: number) {
  const mails = Array.from({ length: count }, () => place.email());
  await enqueueNotifications(world.app, place.db, mails);
  return mails;
}

const countSending = async () => (await place.statuses()).filter((status) => status === 'sending').length;

describe('several calls at once', () => {
  it('have no more messages handed over together than one call has', async () => {
    const world = prepareSlowServer();
    await enqueueSome(world, 40);
    const calls = [1, 2, 3].map(() => dispatchDue(world.app));
    await expect.poll(() => world.mailer.tried.length).toBe(lanesAtOnce);
    world.letAnswer();
    const tried = await Promise.all(calls);

    expect(world.seen.mostAtOnce).toBe(lanesAtOnce);
    expect(tried.reduce((sum, count) => sum + count)).toBe(40);
    expect(await place.statuses()).toEqual(Array(40).fill('accepted'));
  });

  it('leave lanes to mails while a notifier never answers', async () => {
    const answering = Promise.withResolvers<void>();
    let calls = 0;
    const send = async () => {
      calls += 1;
      await answering.promise;
      return { outcome: 'accepted', providerId: null } as const;
    };
    const world = place.build({ webhook: { send } });
    world.mailer.answer(async () => ok);
    const reminders = Array.from({ length: 12 }, () => place.email({ kind: 'release.first_reminder' }));
    await enqueueNotifications(world.app, place.db, reminders);
    const dispatched = dispatchDue(world.app);
    await expect.poll(() => world.mailer.sent.length).toBe(12);
    expect(calls).toBe(2);
    answering.resolve();
    await dispatched;
    expect(calls).toBe(12);
  });

  it('claim nothing that must wait: a message cancelled while a slow server blocks never leaves', async () => {
    const world = prepareSlowServer();
    const mails = await enqueueSome(world, 20);
    const calls = [1, 2].map(() => dispatchDue(world.app));
    await expect.poll(() => world.mailer.tried.length).toBe(lanesAtOnce);
    expect(await countSending()).toBe(lanesAtOnce);

    for (const { subjectId } of mails)
      await cancelNotificationsFor(world.app, place.db, subjectId ?? '', 'letter opened');
    world.letAnswer();
    await Promise.all(calls);
    expect(world.mailer.sent).toHaveLength(lanesAtOnce);
    expect(await place.statuses()).toEqual([...Array(6).fill('accepted'), ...Array(14).fill('cancelled')]);
  });

  it('have sent every earlier message when they end, although every lane was busy', async () => {
    const world = prepareSlowServer();
    await enqueueSome(world, lanesAtOnce);
    const first = dispatchDue(world.app);
    await expect.poll(() => world.mailer.tried.length).toBe(lanesAtOnce);

    await enqueueNotification(world.app, place.db, place.email({ to: { address: 'late@example.test' } }));
    const second = dispatchDue(world.app);
    world.letAnswer();
    await second;
    expect(world.mailer.sent.map(({ to }) => to.address)).toContain('late@example.test');
    await first;
    expect(await place.statuses()).toEqual(Array(lanesAtOnce + 1).fill('accepted'));
  });

  it('take the lanes that a message in the hands of a slow server leaves free', async () => {
    const world = place.build();
    const answering = Promise.withResolvers<void>();
    world.mailer.answer(async ({ to }) => {
      if (to.address.startsWith('slow')) await answering.promise;
      return ok;
    });
    await enqueueNotification(world.app, place.db, place.email({ to: { address: 'slow@example.test' } }));
    const first = dispatchDue(world.app);
    await expect.poll(() => world.mailer.tried.length).toBe(1);

    await enqueueSome(world, 10);
    expect(await dispatchDue(world.app)).toBe(10);
    answering.resolve();
    expect(await first).toBe(1);
  });
});

it('an outcome locks the owner’s row before its message, whatever the kind', async () => {
  const { app, mailer } = place.build();
  mailer.answer(() => ({ outcome: 'refused', replyCode: 550 }));
  await enqueueNotification(app, place.db, place.email({ kind: 'billing.receipt' }));
  const holder = await place.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select from users where id = $1 for update', [place.ownerId]);
    const dispatching = dispatchDue(app);
    const waiting = () =>
      place.pool.query("select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'");
    await expect.poll(async () => (await waiting()).rowCount).toBe(1);
    // An owner who comes back withdraws mails behind the same lock: neither may wait for the other.
    expect((await holder.query('select from notifications for update nowait')).rowCount).toBe(1);
    await holder.query('commit');
    await dispatching;
  } finally {
    holder.release();
  }
});
