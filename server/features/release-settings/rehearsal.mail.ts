import { forecastOf } from '#server/features/release-core/forecast.rules.ts';
import type { ContactTopic, OwnerTopic } from '#server/features/release-core/model.rules.ts';
import { writeToContact } from '#server/features/release-mail/contact-mail.ts';
import { writeToOwner } from '#server/features/release-mail/owner-mail.ts';
import type { Mail } from '#server/features/release-mail/release.emails.ts';
import type { LoadedWorld } from '#server/features/release-state/release.store.ts';
import { html, isolate, type Markup, withNote } from '#server/platform/mail/letter.ts';
import { fillDays, longDate } from '#server/platform/mail/mail-day.ts';
import type { RehearsalStep, Rehearsed } from './rehearsal.rules.ts';

/** Recipient of a rehearsed email. */
export type RehearsalPerson = { kind: 'you' | 'contact' | 'recipient'; name: string | null; email: string };

export type RehearsedMail = { step: RehearsalStep; at: Date | null; to: RehearsalPerson; mail: Mail };

/** Email that brings recipients their letters, with this link in it. */
export type LetterMail = (given: { link: string; readerName: string | null; letters: number; sealed: number }) => Mail;

/** Each person once, however many letters are for them. */
type Readers = readonly { name: string | null; address: string; letters: number; sealed: number }[];

export type RehearsalCast = {
  baseUrl: string;
  loaded: LoadedWorld;
  /** Recipients of the letters that leave with the release. */
  readers: Readers;
  letterMail: LetterMail;
  /** True if the owner’s plan would not renew after the release. */
  endsPlan: boolean;
};

/**
 * Letters that wait for one day, in milliseconds by the clock, with their recipients. `isDated` is false if people
 * decide when the release begins, and the day depends on that.
 */
export type OwnDay = { atMs: number; isDated: boolean; readers: Readers };

/**
 * Emails of a release, oldest first, written by the functions for the real ones. Their links open a page that explains
 * them, and change nothing.
 */
export function rehearsedMails(cast: RehearsalCast, rehearsed: readonly Rehearsed[]): RehearsedMail[] {
  return rehearsed.flatMap((each) => {
    const { step, now, isDated } = each;
    const leavesAt = new Date(now.atMs);
    const at = isDated ? leavesAt : null;
    return writtenFor(cast, each).map(({ to, mail }) => ({ step, at, to, mail: withDays(mail, leavesAt) }));
  });
}

/** The emails that bring letters on days of their own. */
export function ownDayMails(
  cast: Pick<RehearsalCast, 'baseUrl' | 'letterMail'>,
  days: readonly OwnDay[],
): RehearsedMail[] {
  return days.flatMap(({ atMs, isDated, readers }) =>
    lettersTo(cast, readers).map(({ to, mail }) => {
      const leavesAt = new Date(atMs);
      return { step: 'own_day' as const, at: isDated ? leavesAt : null, to, mail: withDays(mail, leavesAt) };
    }),
  );
}

type Written = { to: RehearsalPerson; mail: Mail };

function lettersTo(
  { baseUrl, letterMail }: Pick<RehearsalCast, 'baseUrl' | 'letterMail'>,
  readers: Readers,
): Written[] {
  return readers.map(({ name, address, letters, sealed }) => ({
    to: { kind: 'recipient', name, email: address },
    mail: letterMail({ link: `${baseUrl}/rehearsal/letter`, readerName: name, letters, sealed }),
  }));
}

function writtenFor(cast: RehearsalCast, rehearsed: Rehearsed): Written[] {
  const { baseUrl, loaded, readers } = cast;
  const { to, topic, world, now } = rehearsed;
  const { owner, contacts } = loaded;
  const link = (page: 'check-in' | 'portal') => `${baseUrl}/rehearsal/${page}`;
  if (to === null) return lettersTo(cast, readers);
  const scene = {
    loaded: { ...loaded, world },
    request: world.request ?? world.release?.request ?? null,
    now,
    baseUrl,
    foreseen: forecastOf(world, now),
  };
  if (to === 'owner') {
    const ownersScene = { ...scene, checkInUrl: () => link('check-in'), toldIds: [], canAnswer: false };
    const name = [owner.firstName, owner.lastName].filter(Boolean).join(' ') || owner.email;
    const { mail } = writeToOwner(topic as OwnerTopic, ownersScene);
    return [{ to: { kind: 'you', name, email: owner.email }, mail }];
  }
  const contact = contacts.find(({ id }) => id === to);
  if (!contact) return [];
  const contactsScene = {
    ...scene,
    sent: 'nothing' as const,
    isClosing: false,
    isLeftSo: false,
    endsPlan: cast.endsPlan,
  };
  const { mail } = writeToContact(topic as ContactTopic, contact, contactsScene, link('portal'));
  return [{ to: { kind: 'contact', name: contact.name, email: contact.email }, mail }];
}

/** A real mail names its days as it leaves; this one, as it would leave. */
function withDays({ subject, html: page, text }: Mail, leavesAt: Date): Mail {
  return { subject: fillDays(subject, leavesAt), html: fillDays(page, leavesAt), text: fillDays(text, leavesAt) };
}

/** Copy for the owner, marked so that a finder can't take it for the real one. */
export function rehearsalCopy({ at, to, mail }: RehearsedMail): Mail {
  const marked = withNote(mail, noteOf(at, to));
  return { subject: `Rehearsal: ${mail.subject}`, html: marked.html, text: marked.text };
}

function noteOf(at: Date | null, to: RehearsalPerson): Markup {
  const who =
    to.kind === 'you' ? html`You` : to.name ? html`${isolate(to.name)} (${isolate(to.email)})` : isolate(to.email);
  const when = at ? html`on ${longDate(at)}` : html`once enough of your contacts have confirmed`;
  return html`This is a rehearsal that you asked for. ${who} would get this email ${when}. It went to you alone, and its links do nothing.`;
}
