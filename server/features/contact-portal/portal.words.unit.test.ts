import { describe, expect, it } from 'vitest';
import { type Outcome, outcomeWords } from './portal.words.ts';

const now = new Date('2026-09-09T09:00:00Z');
const inDays = (days: number) => now.getTime() + days * 86_400_000;
const confirmed: Outcome = {
  state: 'confirmed',
  firstName: 'Sam',
  cycleState: 'asking',
  answered: 'confirmed',
  isPaused: false,
  pause: { askAgainDays: 30, canOthersConfirm: false },
  missing: 0,
  waitingDays: 0,
  held: null,
  dispatchedAt: null,
  releasedAt: null,
  now,
};
const say = (more: Partial<Outcome>) => outcomeWords({ ...confirmed, ...more });
const stopped: Outcome['held'] = { by: 'stopped', untilMs: null };

describe('after a confirmation', () => {
  it('minutes are promised only while letters are leaving', () => {
    const releasing = { cycleState: 'releasing', dispatchedAt: now } as const;
    expect(say(releasing)).toBe('The messages will be delivered within minutes.');
    const anHourAgo = new Date(inDays(0) - 3_600_000);
    expect(say({ ...releasing, dispatchedAt: anHourAgo })).toContain('are being delivered');
    expect(say({ ...releasing, held: stopped })).toContain('stopped on our side');
    expect(say({ cycleState: 'released', releasedAt: now })).toBe('The messages were delivered on 9 September 2026.');
    const holds: Outcome['held'][] = [
      stopped,
      { by: 'no_message', untilMs: null },
      { by: 'waiting_time', untilMs: null },
    ];
    for (const held of [null, ...holds]) expect(say({ held, waitingDays: 3 })).not.toMatch(/minutes|more pe/);
  });

  it('those who are missing are counted, with the owner’s days behind them', () => {
    expect(say({ missing: 1 })).toBe(
      'Your answer is kept. The messages will be delivered when one more person confirms.',
    );
    expect(say({ missing: 2, waitingDays: 3 })).toBe(
      'Your answer is kept. The messages will be delivered when 2 more people confirm, after 3 days in which we try to reach Sam.',
    );
    expect(say({ missing: 1, held: stopped })).toContain('confirms. Just now the delivery is stopped on our side');
    expect(say({ missing: 1, held: { by: 'no_message', untilMs: null } })).toContain('none of them is ready');
  });

  it('nobody is missing where something of ours, or no message, is all that it waits for', () => {
    expect(say({ held: stopped })).toBe(
      'Your answer is kept. Nothing is sent yet: the delivery is stopped on our side for the moment. It goes on once that is over. Nothing is lost, and you need do nothing.',
    );
    expect(say({ held: { by: 'no_message', untilMs: null } })).toBe(
      'Your answer is kept. Nothing is sent: Sam has no message that is ready.',
    );
  });

  it('the owner’s time has a day only once it has begun', () => {
    const waiting = { cycleState: 'holding', waitingDays: 3 } as const;
    expect(say({ ...waiting, held: { by: 'waiting_time', untilMs: null } })).toContain(
      'for 3 days, until 12 September 2026 at the earliest: they begin when our email has reached Sam’s mailbox.',
    );
    expect(say({ ...waiting, held: { by: 'waiting_time', untilMs: inDays(3) } })).toBe(
      'Your answer is kept. We try to reach Sam until 12 September 2026. Then the letters go. If Sam comes back before, or somebody says no, nothing is sent.',
    );
  });

  it('of somebody whose role is young it says from when it counts', () => {
    const held: Outcome['held'] = { by: 'new_contact', untilMs: inDays(2) };
    expect(say({ held, missing: 1 })).toContain('It counts from 11 September 2026');
    expect(say({ held, missing: 1 })).toContain('will be delivered then.');
    expect(say({ held, missing: 2 })).toContain('when one more person confirms as well');
  });
});

describe('after a cancel', () => {
  const cancelled = { state: 'cancelled', answered: 'cancelled', isPaused: true, cycleState: 'paused' } as const;

  it('nothing is sent; where others can still confirm, that is said', () => {
    expect(say(cancelled)).toBe('Nothing is sent. We have told Sam to log in immediately.');
    const repeated = { ...cancelled, pause: { askAgainDays: 3, canOthersConfirm: true }, missing: 2 };
    expect(say(repeated)).toContain('the messages are delivered when 2 more people confirm');
    expect(say({ ...repeated, missing: 0 })).toContain('when one more person confirms');
  });

  it('of an earlier round nothing is promised for the one that followed', () => {
    const old = say({ ...cancelled, isPaused: false, cycleState: 'asking' });
    expect(old).toContain('nothing was sent then');
    expect(old).toContain('our newest email');
    const undone = say({ state: 'stopped', cycleState: 'asking' });
    expect(undone).toContain('nothing was sent then');
    expect(undone).not.toMatch(/30 days|nothing is sent/);
  });

  it('of somebody else, it is said when contacts are asked again, and where they are not', () => {
    const undone = { state: 'stopped', isPaused: true, cycleState: 'paused' } as const;
    expect(say({ ...undone, pause: { askAgainDays: 12, canOthersConfirm: false } })).toContain(
      'ask you again in 12 days',
    );
    expect(say({ ...undone, pause: { askAgainDays: null, canOthersConfirm: false } })).toContain('usual reminders');
  });
});

describe('a release without an answer', () => {
  it('is told apart from one that went on after a no, with its day once there is one', () => {
    const released = { state: 'released', answered: null, cycleState: 'releasing' } as const;
    expect(say(released)).toContain('without an answer from you');
    expect(say({ ...released, answered: 'cancelled' })).toContain('after you had cancelled');
    expect(say({ ...released, cycleState: 'released', releasedAt: now })).toContain('delivered on 9 September 2026');
    expect(say({ ...released, held: stopped })).toContain('stopped on our side');
  });
});
