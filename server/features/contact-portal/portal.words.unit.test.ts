import { describe, expect, it } from 'vitest';
import { type Outcome, outcomeWords } from './portal.words.ts';

const now = new Date('2026-09-09T09:00:00Z');
const inDays = (days: number) => now.getTime() + days * 86_400_000;
const confirmed: Outcome = {
  state: 'confirmed',
  stoppedBy: null,
  firstName: 'Sam',
  stage: 'asking',
  answered: 'yes',
  isCurrent: true,
  isEarly: false,
  isInTheirName: false,
  isBySilenceToo: false,
  pause: { askAgainDays: null, canOthersConfirm: false },
  missing: 0,
  waitingDays: 0,
  held: null,
  beganAt: null,
  doneAt: null,
  now,
};
const say = (more: Partial<Outcome>) => outcomeWords({ ...confirmed, ...more });
const stopped: Outcome['held'] = { by: 'stopped', untilMs: null };

describe('after a confirmation', () => {
  it('minutes are promised only while letters are leaving', () => {
    const releasing = { stage: 'releasing', beganAt: now } as const;
    expect(say(releasing)).toBe('The messages will be delivered within minutes.');
    const anHourAgo = new Date(inDays(0) - 3_600_000);
    expect(say({ ...releasing, beganAt: anHourAgo })).toContain('are being delivered');
    expect(say({ ...releasing, held: stopped })).toContain('stopped on our side');
    expect(say({ ...releasing, doneAt: now })).toBe('The messages were delivered on 9 September 2026.');
    const holds: Outcome['held'][] = [
      stopped,
      { by: 'no_message', untilMs: null },
      { by: 'waiting_time', untilMs: null },
    ];
    for (const held of [null, ...holds]) expect(say({ held, waitingDays: 3 })).not.toMatch(/minutes|more pe/);
  });

  it('counts the missing contacts, followed by the owner’s days', () => {
    expect(say({ missing: 1 })).toBe(
      'Your answer is kept. The messages will be delivered when one more person confirms.',
    );
    expect(say({ missing: 2, waitingDays: 3 })).toBe(
      'Your answer is kept. The messages will be delivered when 2 more people confirm, after 3 days in which we try to reach Sam.',
    );
    expect(say({ missing: 1, held: stopped })).toContain('confirms. Just now the delivery is stopped on our side');
    expect(say({ missing: 1, held: { by: 'no_message', untilMs: null } })).toContain('none of them is ready');
  });

  it('names no missing contact if it waits only for us or for a message', () => {
    expect(say({ held: stopped })).toBe(
      'Your answer is kept. Nothing is sent yet: the delivery is stopped on our side for the moment. It goes on once that is over. Nothing is lost, and there is nothing you need to do.',
    );
    expect(say({ held: { by: 'no_message', untilMs: null } })).toBe(
      'Your answer is kept. Nothing is sent: Sam has no message that is ready.',
    );
  });

  it('the owner’s time has a day only once it has begun', () => {
    const waiting = { waitingDays: 3 } as const;
    expect(say({ ...waiting, held: { by: 'waiting_time', untilMs: null } })).toContain(
      'for 3 days, until 12 September 2026 at the earliest: they begin when our email has reached Sam’s mailbox.',
    );
    expect(say({ ...waiting, held: { by: 'waiting_time', untilMs: inDays(3) } })).toBe(
      'Your answer is kept. We try to reach Sam until 12 September 2026. Then the letters go. If Sam comes back before, or somebody says no, nothing is sent.',
    );
  });

  it('notifies an owner with no waiting days before anything is sent', () => {
    expect(say({ held: { by: 'waiting_time', untilMs: null } })).toBe(
      'Your answer is kept. Nothing is sent before our email about it has reached Sam’s mailbox. Then the letters go. If Sam comes back before, or somebody says no, nothing is sent.',
    );
  });

  it('in a young role, the words name the day from which it counts', () => {
    const held: Outcome['held'] = { by: 'new_contact', untilMs: inDays(2) };
    expect(say({ held })).toContain('It counts from 11 September 2026');
    expect(say({ held })).toContain('will be delivered then.');
    expect(say({ held, missing: 1 })).toContain('when one more person confirms as well');
  });
});

describe('after a cancel', () => {
  const cancelled = { state: 'cancelled', answered: 'no', stage: 'paused' } as const;

  it('nothing is sent, the owner is asked to log in, and an early request ends', () => {
    expect(say(cancelled)).toBe('Nothing is sent. We have told Sam to sign in.');
    expect(say({ ...cancelled, stage: 'over', isEarly: true })).toBe(
      'Nothing is sent. We have told Sam to sign in. This request is over.',
    );
  });

  it('that is repeated, the words say that others can still confirm, and claim no notice', () => {
    const repeated = { ...cancelled, stage: 'asking', pause: { askAgainDays: null, canOthersConfirm: true } } as const;
    expect(say({ ...repeated, missing: 2 })).toBe(
      'Nothing is sent now. You have cancelled before, so others can still confirm: the messages are delivered when 2 more people confirm.',
    );
    expect(say({ ...repeated, missing: 1, isBySilenceToo: true })).toContain(
      'when one more person confirms. If nobody does, nothing is sent for 30 days.',
    );
    const enough = say({ ...repeated, missing: 0 });
    expect(enough).toContain('this does not stop what others have confirmed');
    expect(enough).not.toContain('Nothing is sent now');
    const alone = { ...repeated, missing: 1, pause: confirmed.pause };
    expect(say(alone)).toBe('Nothing is sent now.');
    expect(say({ ...alone, isBySilenceToo: true })).not.toMatch(/told|others/);
  });

  it('before a pause, the words promise nothing for the request after it', () => {
    const old = say({ ...cancelled, isCurrent: false, stage: 'asking' });
    expect(old).toContain('nothing was sent then');
    expect(old).toContain('our newest email');
    const undone = say({ state: 'stopped', stoppedBy: 'not_counted', isCurrent: false });
    expect(undone).toContain('nothing was sent then');
    expect(undone).not.toMatch(/30 days|nothing is sent/);
  });

  it('by another contact, the words name the day of the next question, or the end of the request', () => {
    const undone = { state: 'stopped', stoppedBy: 'no', stage: 'paused' } as const;
    expect(say({ ...undone, pause: { askAgainDays: 12, canOthersConfirm: false } })).toContain(
      'ask you again in 12 days',
    );
    expect(say({ ...undone, stage: 'over' })).toBe(
      'Somebody else cancelled the release of Sam’s messages, and nothing is sent. This request is over. If we have asked you again since, use the link in our newest email.',
    );
  });
});

describe('a request that came to nothing', () => {
  const over = { state: 'stopped', stage: 'over', isEarly: true, answered: null } as const;

  it('thanks the contact who did not ask, and notifies the others', () => {
    expect(say({ ...over, stoppedBy: 'not_asked', isInTheirName: true })).toBe(
      'You told us that you did not ask. The request is over, and nothing is sent. We have told Sam.',
    );
    expect(say({ ...over, stoppedBy: 'not_asked' })).toContain('says that they did not ask');
  });

  it('says how to ask again where too few confirmed, or too few are left', () => {
    const askAnew = 'If Sam has died or cannot act, you can ask again with the emergency form.';
    expect(say({ ...over, stoppedBy: 'nobody_answered' })).toBe(
      `Not enough people confirmed within 14 days, so this request is over. Nothing is sent because of it. ${askAnew}`,
    );
    expect(say({ ...over, stoppedBy: 'too_few_contacts' })).toContain(askAnew);
  });

  it('after a restore says how to ask, or answer, again', () => {
    const restored = { ...over, stoppedBy: 'begun_anew' } as const;
    expect(say(restored)).toMatch(/^We had to go back to a backup.*you can ask again with the emergency form\.$/);
    expect(say({ ...restored, isEarly: false })).toMatch(/we ask you again: use the link in our newest email\.$/);
  });
});

describe('a confirmation that was taken back', () => {
  it('does not count any more, and can be given again by another link', () => {
    expect(say({ state: 'stopped', stoppedBy: 'taken_back', answered: 'taken_back' })).toBe(
      'You took your confirmation back, and it does not count any more. If you want to answer again, ask for a new link with the emergency form.',
    );
  });
});

describe('a release without an answer', () => {
  it('differs from one that continued after a no, and names its day once there is one', () => {
    const released = { state: 'released', answered: null, stage: 'releasing' } as const;
    expect(say(released)).toContain('without an answer from you');
    expect(say({ ...released, answered: 'no' })).toContain('after you had cancelled');
    expect(say({ ...released, answered: 'taken_back' })).toContain('after you had taken your confirmation back');
    expect(say({ ...released, doneAt: now })).toContain('delivered on 9 September 2026');
    expect(say({ ...released, held: stopped })).toContain('stopped on our side');
  });
});
