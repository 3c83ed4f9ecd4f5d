import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import { joinedNames } from '#web/features/release/names.ts';
import { sentSentence } from '#web/features/release/status-words.ts';
import { counted, dayAndMonth, isoDay, longDate } from '#web/lib/format.ts';

export type CameBack = NonNullable<ReleaseOverview['cameBack']>;

export type CameBackStep = {
  what: string;
  /** Null where people would have decided when. */
  at: string | null;
  tone: 'past' | 'warn' | 'now' | 'never';
  note?: { words: string; at?: string };
};

/** First sentence for the owner: whether letters were sent, and who knows of the return. */
export function cameBackSentence({ toldNames }: CameBack, sent: ReleaseOverview['sent']): string {
  const first = sent.delivered > 0 ? `We have stopped the delivery. ${sentSentence({ sent })}` : 'Nothing was sent.';
  const told = joinedNames(toldNames);
  return told === '' ? first : `${first} We have told ${told} you are here.`;
}

/** Other addresses of the owner that contacts gave, one sentence each. */
export function givenAddressSentences({ givenAddresses }: CameBack): string[] {
  return givenAddresses.map(
    ({ byName, address }) =>
      `Our emails came back to us, and ${byName} gave us another email address of yours: ${address}.`,
  );
}

/** Contacts who answered for the owner, one sentence each, with their words. */
export function aliveAnswerSentences({
  aliveAnswers,
}: CameBack): { key: string; sentence: string; reason: string | null }[] {
  return aliveAnswers.map(({ byName, at, reason }) => ({
    key: `${byName} ${at}`,
    sentence: `On ${longDate(at)}, ${byName} answered for you: you were alive, and couldn’t answer.`,
    reason,
  }));
}

/** Events during the absence, and the next step that would have come. */
export function cameBackSteps(cameBack: CameBack, { hasSent }: { hasSent: boolean }): CameBackStep[] {
  const { heardAt, reminders, askedAt, at } = cameBack;
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
    ...(hasSent ? [] : [whatWouldHaveBeen(cameBack)]),
  ];
}

function askedWords({ askedNames, isEarly }: CameBack): string {
  const who = joinedNames(askedNames);
  if (isEarly) return who === '' ? 'A contact was asked' : `${who} ${askedNames.length === 1 ? 'was' : 'were'} asked`;
  return who === '' ? 'We asked your contacts' : `We asked ${who}`;
}

function whatWouldHaveBeen({ next, letters, askedNames }: CameBack): CameBackStep {
  const tone = 'never' as const;
  const sealed = letters === 0 ? {} : { note: { words: 'Still sealed' } };
  if (next?.what === 'asked_again') return { what: 'We would have asked again', at: next.at, tone };
  if (next) return { what: `${counted(letters, 'letter')} would have gone`, at: next.at, tone, ...sealed };
  const who = joinedNames(askedNames);
  return { what: `Then we would have waited for ${who === '' ? 'an answer' : who}`, at: null, tone, ...sealed };
}

/** Title of the line's own stretch of time. */
export function cameBackTitle({ isEarly }: CameBack): string {
  return isEarly ? 'Before you came back' : 'While we did not hear from you';
}

/** The day on which we write to the owner again, and to no one else, if we hear nothing more. */
export function nextReminder({ timeline }: Pick<ReleaseOverview, 'timeline'>): string | undefined {
  return timeline.find(({ what, isPast }) => what === 'first_reminder' && !isPast)?.at;
}

/** With the year only where it is another than the year of the return: five dates stand beside one another. */
export function shortDay(at: string, beside: string): string {
  return isoDay(at).slice(0, 4) === isoDay(beside).slice(0, 4) ? dayAndMonth(Date.parse(at)) : longDate(at);
}
