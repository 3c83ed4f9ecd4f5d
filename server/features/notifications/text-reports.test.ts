import { describe, expect, it } from 'vitest';
import type { TextResult } from '#server/platform/sms/texter.ts';
import { smsNotifications } from '#server/schema/notifications.tables.ts';
import { cancelMessages } from './cancel.ts';
import { enqueueNotification } from './enqueue.ts';
import { mailReactionsOf } from './mail-reactions.ts';
import { dispatchDue } from './notifications.dispatch.ts';
import type { NewText } from './notifications.messages.ts';
import { dayMs, hourMs, minuteMs, prepareNotifications, start } from './notifications.test-world.ts';
import { reportMaxMs } from './text-reports.ts';

const place = prepareNotifications();

/** A text whose provider answers with an id, and later with these reports. */
async function queued(change: Partial<NewText> = {}) {
  const { app, clock, texter } = place.build();
  const ends: string[] = [];
  for (const kindPrefix of ['accounts.phone-code', 'release.'] as const)
    mailReactionsOf(app).ended.push({ kindPrefix, react: async (_tx, { outcome }) => void ends.push(outcome) });
  let report: TextResult = { outcome: 'queued', providerId: 'SM1' };
  texter.answer(() => ({ outcome: 'queued', providerId: 'SM1' }));
  texter.report(() => report);
  const text = place.text(change);
  await enqueueNotification(app, place.db, text);
  await dispatchDue(app);
  return {
    app,
    clock,
    texter,
    ends,
    subjectId: text.subjectId ?? '',
    later: async (ms: number, next: TextResult = report) => {
      report = next;
      clock.advance(ms);
      await dispatchDue(app);
    },
    row: async () => (await place.rows())[0],
  };
}

const undelivered = { outcome: 'undelivered', replyCode: 30_003 } as const;
const delivered = { outcome: 'accepted', providerId: 'SM1' } as const;

describe('a text that its provider has queued', () => {
  it('counts as accepted once the provider reports it as delivered, and not before', async () => {
    const { later, ends, row, texter } = await queued();
    await later(minuteMs);
    expect(await row()).toMatchObject({ status: 'pending', acceptedAt: null, providerId: 'SM1' });
    expect(ends).toEqual([]);
    await later(10 * minuteMs, delivered);
    expect(await row()).toMatchObject({ status: 'accepted', acceptedAt: new Date(start.getTime() + 11 * minuteMs) });
    expect(ends).toEqual(['accepted']);
    expect(texter.sent, 'it is handed over once').toHaveLength(1);
  });

  it('can be answered from the time at which the provider took it', async () => {
    const { later } = await queued();
    const sent = { status: 'sent', sentAt: start };
    expect(await place.db.select().from(smsNotifications)).toMatchObject([sent]);
    await later(hourMs, delivered);
    expect(await place.db.select().from(smsNotifications)).toMatchObject([sent]);
  });

  it('ends unaccepted if the provider never reports, and is not sent again', async () => {
    const { later, ends, row, texter } = await queued({ kind: 'release.first_reminder' });
    for (let waitedMs = 0; waitedMs < reportMaxMs - 6 * hourMs; waitedMs += 6 * hourMs) await later(6 * hourMs);
    expect((await row())?.status).toBe('pending');
    await later(6 * hourMs);
    expect(await row()).toMatchObject({ status: 'dead', acceptedAt: null });
    expect([ends, texter.sent.length]).toEqual([['dead'], 1]);
  });

  it('that a step rests on is handed over three times, a day apart, if it is not delivered', async () => {
    const { later, ends, row, texter } = await queued({ kind: 'release.first_reminder' });
    await later(minuteMs, undelivered);
    expect(await row()).toMatchObject({ status: 'pending', providerId: null, isLeaving: false, lastReplyCode: 30_003 });
    await later(dayMs - minuteMs);
    expect(texter.sent).toHaveLength(1);
    await later(minuteMs);
    expect(texter.sent).toHaveLength(2);
    await later(hourMs);
    await later(dayMs);
    expect([texter.sent.length, ends]).toEqual([3, []]);
    await later(hourMs);
    expect([await row(), ends]).toMatchObject([{ status: 'dead', lastReplyCode: 30_003 }, ['dead']]);
    await later(30 * dayMs);
    expect(texter.sent).toHaveLength(3);
  });

  it('that no step rests on is not handed over again', async () => {
    const { later, ends, texter } = await queued();
    await later(minuteMs, undelivered);
    await later(2 * dayMs);
    expect([ends, texter.sent.length]).toEqual([['dead'], 1]);
  });

  it('bounces if the provider reports that the number takes no texts', async () => {
    const { later, ends, row } = await queued({ kind: 'release.first_reminder' });
    await later(minuteMs, { outcome: 'refused', replyCode: 30_006 });
    expect([(await row())?.status, ends]).toEqual(['bounced', ['bounced']]);
  });

  it('counts as arrived if it is withdrawn before the report', async () => {
    const { app, later, ends, row, subjectId, texter } = await queued();
    await place.db.transaction((tx) =>
      cancelMessages(app, tx, { subjects: subjectId, kinds: ['accounts.phone-code'] }),
    );
    await later(hourMs);
    expect(await row()).toMatchObject({ status: 'accepted', providerId: 'SM1' });
    expect([ends, texter.sent.length]).toEqual([['accepted'], 1]);
  });
});
