import type { ReleaseOverview, ReleaseState } from '#shared/contract/release/release.ts';
import { counted, daysAgo, longDate } from '#web/lib/format.ts';
import { joinedNames } from './names.ts';

export type StatusWords = {
  title: string;
  text: string;
  /** The lamp burns while we hear from its owner; unlit, it means silence and nothing else. */
  isLampLit: boolean;
  /** Action of the sheet's one button. */
  action: 'check-in' | 'stop';
  /** Below the line of time. */
  foot: string;
};

type Facts = Pick<
  ReleaseOverview,
  | 'state'
  | 'timeline'
  | 'contactNames'
  | 'toldNames'
  | 'readyMessages'
  | 'sent'
  | 'lastActivityAt'
  | 'awayUntil'
  | 'releaseMethod'
> & { nowMs: number };

const startsAgain = 'Every check-in starts this line again from that day.';

/** The owner's state, in calm words. */
export function statusWords(facts: Facts): StatusWords {
  return byState[facts.state](facts);
}

const byState: Record<ReleaseState, (facts: Facts) => StatusWords> = {
  watching: (facts) => {
    if (facts.awayUntil) return awayWords(facts.awayUntil, dateOf(facts, 'first_reminder'));
    const due = dateOf(facts, 'next_checkin');
    const isOverdue = due !== undefined && Date.parse(due) <= facts.nowMs;
    const firstReminder = dateOf(facts, 'first_reminder');
    return {
      title: isOverdue ? 'Time to check in.' : `We heard from you ${daysAgo(facts.lastActivityAt, facts.nowMs)}.`,
      text: isOverdue
        ? `Your check-in was due by ${longDate(due)}. ${firstReminder ? `The first reminder goes out on ${longDate(firstReminder)}.` : 'Nothing else happens yet.'}`
        : due === undefined
          ? 'Nothing is under way.'
          : `Next check-in by ${longDate(due)}`,
      isLampLit: true,
      action: 'check-in',
      foot: startsAgain,
    };
  },
  reminded: (facts) => ({
    title: 'We have sent you a reminder.',
    text: `We had not heard from you since ${longDate(facts.lastActivityAt)}. Check in, and we know you are there.`,
    isLampLit: false,
    action: 'check-in',
    foot: startsAgain,
  }),
  warned: (facts) => {
    const asked = dateOf(facts, 'contacts_asked');
    const who = joinedNames(facts.contactNames);
    const next =
      who === ''
        ? 'The period you chose is nearly over.'
        : `${asked ? `On ${longDate(asked)} we` : 'Next we'} ask ${who} about you.`;
    return {
      title: 'We have sent the last reminder.',
      text: `${next} Check in to stop that.`,
      isLampLit: false,
      action: 'check-in',
      foot: startsAgain,
    };
  },
  asking: (facts) => {
    const who = joinedNames(facts.toldNames);
    const delivery = dateOf(facts, 'automatic_delivery');
    const isAnybody = facts.contactNames.length > 0;
    const asked =
      who !== ''
        ? `We have asked ${who} about you.`
        : isAnybody
          ? 'We are writing to your contacts to ask about you.'
          : 'The period you chose is over.';
    const next =
      facts.releaseMethod === 'inactivity' && delivery
        ? `If nobody answers, your messages are delivered on ${longDate(delivery)}.`
        : 'Your messages wait until they confirm.';
    return {
      title: askedTitle(facts),
      text: `${asked} ${next} Nothing has been sent.`,
      isLampLit: false,
      action: 'stop',
      foot: 'Stopping starts this line again from today. Whoever was asked is told that nothing was sent.',
    };
  },
  paused: (facts) => {
    const until = dateOf(facts, 'paused_until');
    return {
      title: 'A trusted contact has paused this.',
      text: `Nothing has been sent. ${until ? `We ask again on ${longDate(until)}, unless you check in.` : 'Check in, and it is over.'}`,
      isLampLit: false,
      action: 'stop',
      foot: 'Stopping starts this line again from today.',
    };
  },
  holding: (facts) => {
    const until = dateOf(facts, 'holding_until');
    return {
      title: 'A release has been confirmed.',
      text: `We try to reach you${until ? ` until ${longDate(until)}` : ''}. Then ${counted(facts.readyMessages, 'message')} ${facts.readyMessages === 1 ? 'is' : 'are'} delivered. Nothing has been sent yet. If you are here, press Stop.`,
      isLampLit: false,
      action: 'stop',
      foot: 'Stopping keeps every message here. Whoever was asked is told that nothing was sent.',
    };
  },
  releasing: (facts) => ({
    title: 'Your messages are being delivered.',
    text: `${sentSentence(facts)} Stop it to keep back the others and to close the links that nobody has opened.`,
    isLampLit: false,
    action: 'stop',
    foot: 'A message that somebody has opened can’t be taken back.',
  }),
  released: (facts) => ({
    title: 'Your messages have been delivered.',
    text: `${sentSentence(facts)} If you are here, check in: links that nobody has opened are closed at once, and those messages are yours again.`,
    isLampLit: false,
    action: 'check-in',
    foot: 'A delivered message can be read by its recipient for 30 days.',
  }),
  halted: (facts) => ({
    title: 'The release was stopped.',
    text: `${sentSentence(facts)} The others were kept back, and the links that nobody had opened are closed.`,
    isLampLit: true,
    action: 'check-in',
    foot: startsAgain,
  }),
};

function awayWords(awayUntil: string, firstReminder: string | undefined): StatusWords {
  const next = firstReminder ? ` The first reminder would go out on ${longDate(firstReminder)}.` : '';
  return {
    title: 'You’re away.',
    text: `You told us that you are away until ${longDate(awayUntil)}. We count the days from then.${next}`,
    isLampLit: true,
    action: 'check-in',
    foot: 'Back already? Say so under “Going away?”, and this line starts again from that day.',
  };
}

/** An emergency asks one contact alone. */
function askedTitle({ contactNames, toldNames }: Facts): string {
  if (contactNames.length === 0) return 'Your messages are waiting.';
  return toldNames.length === 1 && contactNames.length > 1
    ? 'One of your contacts has been asked.'
    : 'Your contacts have been asked.';
}

/** Sent letters, and the number of opened ones. */
export function sentSentence({ sent: { delivered: sent, opened } }: Pick<Facts, 'sent'>): string {
  if (sent === 0) return 'No letter has been sent so far.';
  if (sent === 1) return `1 letter was sent, and ${opened === 0 ? 'nobody has opened it' : 'it was opened'}.`;
  return `${counted(sent, 'letter')} were sent, ${opened === 0 ? 'none' : opened} of them opened.`;
}

function dateOf({ timeline }: Facts, what: Facts['timeline'][number]['what']): string | undefined {
  return timeline.find((entry) => entry.what === what)?.at;
}
