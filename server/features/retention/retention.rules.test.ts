import { describe, expect, it } from 'vitest';
import { isDeletionDue } from '#server/features/deletion/deletion.rules.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { type NoticeKind, noticeKinds } from '#shared/rules/retention.ts';
import {
  deliveredGoesAt,
  idleGoesAt,
  lapsedSince,
  monthsAfter,
  undeliveredGoesAt,
} from '#shared/rules/retention-dates.ts';
import { isReleaseOpen, noticeDaysOf, retentionStep, surplus } from './retention.rules.ts';

const date = (text: string) => new Date(`${text}T12:00:00Z`);

describe('the time for which something is kept', () => {
  it.each([
    ['2026-01-31', 1, '2026-02-28'],
    ['2024-02-29', 12, '2025-02-28'],
    ['2026-08-31', 6, '2027-02-28'],
    ['2026-03-15', -3, '2025-12-15'],
  ])('is counted in months of the calendar: %s and %i months are %s', (from, months, to) => {
    expect(monthsAfter(date(from), months)).toEqual(date(to));
  });

  it('is 6 months after delivery on the free plan, and 12 where it was paid for when it was delivered', () => {
    const delivered = date('2026-01-10');
    expect(deliveredGoesAt(delivered, { plan: 'free', subscriptionEnd: null })).toEqual(date('2026-07-10'));
    expect(deliveredGoesAt(delivered, { plan: 'free', subscriptionEnd: date('2025-12-31') })).toEqual(
      date('2026-07-10'),
    );
    expect(deliveredGoesAt(delivered, { plan: 'premium', subscriptionEnd: null })).toEqual(date('2027-01-10'));
    // Who has died pays no more; their readers keep the year.
    expect(deliveredGoesAt(delivered, { plan: 'free', subscriptionEnd: date('2026-02-01') })).toEqual(
      date('2027-01-10'),
    );
  });

  it('is 6 months after the last payment for what was not delivered, and for ever where nothing has lapsed', () => {
    const now = date('2026-11-21');
    expect(undeliveredGoesAt(date('2026-05-21'))).toEqual(now);
    expect(lapsedSince({ plan: 'free', subscriptionEnd: date('2026-05-21') }, now)).toEqual(date('2026-05-21'));
    expect(lapsedSince({ plan: 'free', subscriptionEnd: null }, now)).toBeNull();
    expect(lapsedSince({ plan: 'premium', subscriptionEnd: date('2026-05-21') }, now)).toBeNull();
    expect(lapsedSince({ plan: 'free', subscriptionEnd: date('2026-12-01') }, now)).toBeNull();
  });

  it('is 3 years and 90 days for an account that nobody uses', () => {
    expect(idleGoesAt(date('2023-11-21')).getTime()).toBe(date('2026-11-21').getTime() + 90 * dayMs);
  });

  it('is 30 days for an account that is being deleted, by the clock and in healthy time', () => {
    const request = { atMs: 0, healthyMs: 0 };
    const days = 30 * dayMs;
    expect(isDeletionDue(request, { atMs: days, healthyMs: days })).toBe(true);
    expect(isDeletionDue(request, { atMs: days - 1, healthyMs: days })).toBe(false);
    expect(isDeletionDue(request, { atMs: 2 * days, healthyMs: days - 1 })).toBe(false);
  });
});

describe.each(noticeKinds)('of what goes with notice (%s)', (kind: NoticeKind) => {
  const noticeMs = noticeDaysOf[kind] * dayMs;
  const goesAtMs = 1_000 * dayMs;
  const at = (ms: number, healthyMs = ms) => ({ atMs: ms, healthyMs });
  const heard = (ms: number) => ({ sentAtMs: ms, ended: { atMs: ms, healthyMs: ms } });
  const step = (notice: Parameters<typeof retentionStep>[0]['notice'], now: { atMs: number; healthyMs: number }) =>
    retentionStep({ kind, goesAtMs, isBlocked: false, notice }, now);

  it('nobody is told before the days of the notice begin, and then once', () => {
    expect(step(null, at(goesAtMs - noticeMs - 1))).toBe('none');
    expect(step(null, at(goesAtMs - noticeMs))).toBe('notify');
    expect(step({ sentAtMs: goesAtMs - noticeMs, ended: null }, at(goesAtMs - noticeMs + dayMs))).toBe('none');
  });

  it('nothing goes while the mail is not accepted, however long that takes', () => {
    expect(step({ sentAtMs: 0, ended: null }, at(goesAtMs * 10))).toBe('none');
  });

  it('nothing goes before the days are over, by the clock and in healthy time, and then it does', () => {
    const told = heard(goesAtMs - noticeMs);
    expect(step(told, at(goesAtMs - 1))).toBe('none');
    expect(step(told, at(goesAtMs, goesAtMs - 1))).toBe('none');
    expect(step(told, at(goesAtMs))).toBe('remove');
  });

  it('a notice that comes late moves the day: an outage takes nothing from anybody', () => {
    const late = goesAtMs + 400 * dayMs;
    expect(step(null, at(late))).toBe('notify');
    expect(step(heard(late), at(late + noticeMs - 1))).toBe('none');
    expect(step(heard(late), at(late + noticeMs))).toBe('remove');
  });

  it('a notice is taken back when there is nothing to go, or something forbids it', () => {
    const now = at(goesAtMs + noticeMs);
    const told = heard(goesAtMs - noticeMs);
    expect(retentionStep({ kind, goesAtMs: null, isBlocked: false, notice: told }, now)).toBe('withdraw');
    expect(retentionStep({ kind, goesAtMs, isBlocked: true, notice: told }, now)).toBe('withdraw');
    expect(retentionStep({ kind, goesAtMs, isBlocked: true, notice: null }, now)).toBe('none');
  });
});

describe('a release', () => {
  const owner = { emailVerified: true, releaseMethod: 'inactivity' };
  const standing = { isSilent: true, request: null, readyMessages: 1, confirmedContacts: 0 } as const;

  it.each(['asking', 'releasing'] as const)('is open while it is %s', (request) => {
    expect(isReleaseOpen({ ...standing, request, readyMessages: 0 }, owner)).toBe(true);
    expect(isReleaseOpen({ ...standing, isSilent: false, request, readyMessages: 0 }, owner)).toBe(true);
  });

  it('is open while reminders can lead to something, and only then', () => {
    expect(isReleaseOpen(standing, owner)).toBe(true);
    expect(isReleaseOpen({ ...standing, readyMessages: 0 }, owner)).toBe(false);
    expect(isReleaseOpen(standing, { ...owner, releaseMethod: 'trusted_contact' })).toBe(false);
    expect(isReleaseOpen({ ...standing, confirmedContacts: 1 }, { ...owner, releaseMethod: 'trusted_contact' })).toBe(
      true,
    );
    expect(isReleaseOpen(standing, { ...owner, emailVerified: false })).toBe(false);
  });

  it('is over once everything is delivered', () => {
    expect(isReleaseOpen({ ...standing, request: 'done' }, owner)).toBe(false);
    expect(isReleaseOpen({ ...standing, isSilent: false }, owner)).toBe(false);
  });
});

describe('what is more than the free plan holds', () => {
  const message = (id: string, isReady: boolean, changedAtMs: number) => ({ id, isReady, changedAtMs });
  const file = (id: string, of: 'document' | 'message', sizeBytes: number, changedAtMs: number) => ({
    id,
    messageId: of === 'message' ? id : null,
    of,
    sizeBytes,
    changedAtMs,
  });

  it('is nothing within its figures', () => {
    const going = surplus([message('a', true, 1), message('b', false, 2)], [file('c', 'document', 1_000_000, 1)]);
    expect(going).toEqual({ messages: [], files: [] });
  });

  it('is drafts before what is ready, and what was changed longest ago first', () => {
    const kept = [
      message('draft', false, 9),
      message('old', true, 1),
      message('new', true, 5),
      message('mid', true, 3),
    ];
    expect(surplus(kept, []).messages).toEqual(['old', 'draft']);
  });

  it('is the files that do not fit beside those changed last; one that goes with its message needs no room', () => {
    const kept = [message('a', true, 3), message('b', true, 2), message('c', true, 1)];
    const files = [
      file('big', 'document', 900_000, 5),
      file('c', 'message', 800_000, 4),
      file('small', 'document', 100_000, 3),
      file('b', 'message', 1, 2),
    ];
    const going = surplus(kept, files);
    expect(going.messages).toEqual(['c']);
    expect(going.files.map(({ id }) => id)).toEqual(['b']);
  });
});
