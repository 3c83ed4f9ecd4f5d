import { termsAtOpening, termsOf } from '#server/features/release-core/facts.rules.ts';
import { daysToAnswer } from '#server/features/release-core/forecast.rules.ts';
import type { World } from '#server/features/release-core/model.rules.ts';
import { html, isolate, type Markup } from '#server/platform/mail/letter.ts';
import { type DayAfterSending, longDate } from '#server/platform/mail/mail-day.ts';
import { joinNames, numberWord, plural } from './release.words.ts';

/** One sentence, in parts, so that a mail can keep the names in it apart from its own direction of writing. */
export type Standing = { before: string; names: readonly string[]; after: string };

/** The days that only a reminder knows. */
export type StandingDays = {
  askAt: Date | DayAfterSending;
  /** End of the time in which an answer is waited for. Null if letters follow the question immediately. */
  deliverAt: Date | DayAfterSending | null;
  /** Contacts were asked already, and may answer at any time. */
  hasAsked: boolean;
};

/** Result of silence: nothing, letters without a question, or a question to contacts. */
export type Outlook = 'nothing' | 'letters' | 'question';

export function outlookOf({ owner, readyLetters, visibleDocuments, contacts }: World): Outlook {
  if (!owner.isVerified || (readyLetters.length === 0 && visibleDocuments === 0)) return 'nothing';
  if (contacts.length > 0) return 'question';
  return owner.method === 'trusted_contact' || readyLetters.length === 0 ? 'nothing' : 'letters';
}

/**
 * Release as it would happen now, from every fact: the one sentence of dashboard, settings, rehearsal and mails.
 * @param contactNames first names of the contacts who would be asked.
 * @param days additions of a reminder.
 */
export function standingOf(world: World, contactNames: readonly string[], days: StandingDays | null = null): Standing {
  if (!world.owner.isVerified) {
    return alone('Your email address is not confirmed yet. Until it is, nothing is sent to anybody.');
  }
  const stopped = stoppedWords(world);
  const outlook = outlookOf(world);
  // Announced steps of a reminder come after the stop has ended, perhaps while the mail is unread.
  if (stopped !== null && (days === null || outlook === 'nothing')) return alone(stopped);
  const isStopped = stopped !== null;
  const standing = standingWords(world, outlook, contactNames, days && { ...days, isStopped });
  return isStopped ? { ...standing, before: `${stopped} ${standing.before}` } : standing;
}

type Days = StandingDays & { isStopped: boolean };

function standingWords(world: World, outlook: Outlook, names: readonly string[], days: Days | null): Standing {
  if (outlook === 'nothing') return alone(nothingWords(world, days?.hasAsked ?? false));
  if (outlook === 'letters') {
    const how = days
      ? `If we hear nothing from you before ${longDate(days.deliverAt ?? days.askAt)}, `
      : 'As things stand, we would write to you twice, and then ';
    return alone(`Nobody has said yes yet. ${how}${goWords(world)} without anybody being asked.${ownDayWords(world)}`);
  }
  const before = askWords(days);
  if (world.readyLetters.length === 0) {
    return { before, names, after: ', who could read the documents you show them. No letter would be sent.' };
  }
  const about = days === null ? '' : ' about you';
  return { before, names, after: `${about}${answerWords(world, days)}${ownDayWords(world)}` };
}

function stoppedWords({ stops }: World): string | null {
  if (stops.isFrozen) {
    return 'Releases are stopped for now by the people who run this service. Until they go on, nothing is sent.';
  }
  // Letters that contacts have confirmed still leave.
  if (!stops.isSilenceStopped) return null;
  return 'Releases are stopped for now by the people who run this service. Until they go on, silence alone sends nothing.';
}

function nothingWords({ owner, contacts, readyLetters, visibleDocuments }: World, hasAsked: boolean): string {
  if (contacts.length === 0 && owner.method === 'trusted_contact') {
    return 'Nobody has said yes yet. As things stand, nothing could be sent, since only your contacts could start it.';
  }
  if (readyLetters.length === 0 && visibleDocuments === 0) {
    return hasAsked
      ? 'No letter is ready. As things stand, nothing would be sent.'
      : 'No letter is ready yet. As things stand, nobody would be asked, and nothing would be sent.';
  }
  return 'No letter is ready yet, and nobody has said yes. As things stand, nothing would be sent.';
}

function askWords(days: Days | null): string {
  if (days === null) return 'As things stand, we would write to you twice and then ask ';
  if (days.hasAsked) return 'We have asked ';
  const day = longDate(days.askAt);
  return days.isStopped ? `Once they do, but not before ${day}, we will ask ` : `On ${day} we will ask `;
}

/** Steps after the question. */
function answerWords(world: World, days: Days | null): string {
  const go = goWords(world);
  if (world.owner.method === 'trusted_contact') return `. ${capital(go)} only once ${whoConfirms(world, days)}.`;
  if (days === null) {
    const answerDays = daysToAnswer(world, termsOf(world));
    return answerDays === 0
      ? `, and ${go} soon after.`
      : `. If there is no answer within ${plural(answerDays, 'day')}, ${go}.`;
  }
  if (days.deliverAt === null) return `, and ${go} soon after.`;
  const unanswered = `. If nobody answers before ${longDate(days.deliverAt)}, ${go}.`;
  if (!days.hasAsked) return unanswered;
  const sooner = world.readyLetters.length === 1 ? 'It goes sooner' : 'They go sooner';
  return `${unanswered} ${sooner} once ${whoConfirms(world, days)}.`;
}

function goWords({ readyLetters }: World): string {
  return readyLetters.length === 1 ? 'your letter goes' : `your ${readyLetters.length} letters go`;
}

/** Letters with a day of their own. A day that has passed by then delays nothing, so none is named. */
function ownDayWords({ readyLetters, ownDays }: World): string {
  const own = readyLetters.filter((id) => ownDays?.get(id)).length;
  if (own === 0) return '';
  if (readyLetters.length === 1) return ' It has a day of its own, and does not go before it.';
  if (own === readyLetters.length) return ' Each has a day of its own, and does not go before it.';
  if (own === 1) return ' One of them has a day of its own, and does not go before it.';
  return ` ${capital(numberWord(own))} of them have days of their own, and do not go before them.`;
}

/** The sentence as a page shows it. */
export function standingSentence({ before, names, after }: Standing): string {
  return `${before}${joinNames(names)}${after}`;
}

/** Standing as a paragraph of a mail. */
export function standingLine({ before, names, after }: Standing): Markup {
  return names.length === 0 ? html`${before}` : html`${before}${isolate(joinNames(names))}${after}`;
}

const alone = (before: string): Standing => ({ before, names: [], after: '' });

/** The announced terms stay, whatever was set since. */
function whoConfirms(world: World, days: Days | null): string {
  const told = world.silence?.terms ?? termsOf(world);
  const needed = (days?.hasAsked && world.request?.terms.needed) || termsAtOpening(told, world).needed;
  if (world.contacts.length === 1 && needed === 1) return 'this contact confirms';
  return `${numberWord(needed)} of them ${needed === 1 ? 'confirms' : 'confirm'}`;
}

function capital(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
