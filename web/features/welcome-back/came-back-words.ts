import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import { joinedNames } from '#web/features/release/names.ts';
import { sentSentence } from '#web/features/release/status-words.ts';
import { counted, dayAndMonth, isoDay, longDate } from '#web/lib/format.ts';

export type CameBack = NonNullable<ReleaseOverview['cameBack']>;

export type CameBackStep = {
  what: string;
  at: string;
  tone: 'past' | 'warn' | 'now' | 'never';
  note?: { words: string; at?: string };
};

/** What the owner reads first: whether anything was sent, and who knows that they are here. */
export function cameBackSentence({ toldNames }: CameBack, deliveries: ReleaseOverview['deliveries']): string {
  const hasSent = deliveries.some(({ deliveredAt }) => deliveredAt !== null);
  const first = hasSent ? `We have stopped the delivery. ${sentSentence({ deliveries })}` : 'Nothing was sent.';
  const told = joinedNames(toldNames);
  return told === '' ? first : `${first} We have told ${told} you are here.`;
}

/** What happened meanwhile, and what would have come next. */
export function cameBackSteps(cameBack: CameBack): CameBackStep[] {
  const { heardAt, reminders, askedAt, at, next } = cameBack;
  const [first, second] = reminders;
  return [
    { what: 'We last heard from you', at: heardAt, tone: 'past' },
    ...(first === undefined
      ? []
      : [
          {
            what: 'We wrote to you',
            at: first,
            tone: 'warn' as const,
            ...(second === undefined ? {} : { note: { words: 'and again on ', at: second } }),
          },
        ]),
    ...(askedAt === null ? [] : [{ what: askedWords(cameBack), at: askedAt, tone: 'warn' as const }]),
    { what: 'You came back', at, tone: 'now' },
    ...(next === null
      ? []
      : [
          {
            what: nextWords(cameBack),
            at: next.at,
            tone: 'never' as const,
            ...(next.what === 'letters_go' ? { note: { words: 'Still sealed' } } : {}),
          },
        ]),
  ];
}

function askedWords({ askedNames, isEarly }: CameBack): string {
  const who = joinedNames(askedNames);
  if (isEarly) return who === '' ? 'A contact was asked' : `${who} ${askedNames.length === 1 ? 'was' : 'were'} asked`;
  return who === '' ? 'We asked your contacts' : `We asked ${who}`;
}

function nextWords({ next, letters }: CameBack): string {
  if (next?.what === 'asked_again') return 'We would have asked again';
  return `${counted(letters, 'letter')} would have gone`;
}

/** What the line says of its own stretch of time. */
export function cameBackTitle({ isEarly }: CameBack): string {
  return isEarly ? 'Before you came back' : 'While we did not hear from you';
}

/** What happens from now on. */
export function fromNowOn({ timeline }: Pick<ReleaseOverview, 'timeline'>): string {
  const reminder = timeline.find(({ what, isPast }) => what === 'first_reminder' && !isPast);
  if (!reminder) return 'Your time starts again from the day you came back.';
  return `Your time has started again. If we do not hear from you before ${longDate(reminder.at)}, we write to you, and only to you.`;
}

/** With the year only where it is another than the year of the return: five dates stand beside one another. */
export function shortDay(at: string, beside: string): string {
  return isoDay(at).slice(0, 4) === isoDay(beside).slice(0, 4) ? dayAndMonth(Date.parse(at)) : longDate(at);
}
