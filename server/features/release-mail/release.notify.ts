import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import { formerPhone } from '#server/features/accounts/former-phone.ts';
import { provenPhone } from '#server/features/accounts/proven-phone.ts';
import { type Event, toldBy } from '#server/features/release-core/events.rules.ts';
import { type Forecast, forecastOf } from '#server/features/release-core/forecast.rules.ts';
import type { Channel, ContactTopic, Mark, OwnerTopic, Request } from '#server/features/release-core/model.rules.ts';
import { restoredKind } from '#server/features/release-health/restore.repository.ts';
import { newCheckInLink } from '#server/features/release-state/checkin-link.ts';
import type { Deed } from '#server/features/release-state/deed.ts';
import type { Situation } from '#server/features/release-state/release.store.ts';
import type { Writes } from '#server/features/release-state/release.writes.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { firstNameOf } from '#shared/rules/names.ts';
import { writeToContact } from './contact-mail.ts';
import { haltedMail, standingLineOf, toOwner, type Written, writeToOwner } from './owner-mail.ts';
import { formerPhoneText, noticeText } from './release.texts.ts';
import type { Sent } from './release-contacts.emails.ts';
import { nudgeEmail } from './release-reminders.emails.ts';
import { ownerRestoredEmail } from './release-restored.emails.ts';
import type { Asker, HaltCounts } from './release-return.emails.ts';

/** Owner and contacts are told of a sign-in after delivery once it has been unanswered for so long. */
export const signInToldAfterMs = dayMs;
export const nudgeKind = 'release.nudge';
/** A text to a number that the owner had until lately. */
export const formerPhoneKind = 'release.former_phone';

type Place = { writes: Writes; at: Date };
/** What one step did, and what has become of its letters. */
export type Happened = {
  before: Situation;
  after: Situation;
  events: readonly Event[];
  /** The token in the link of each question. */
  tokens: ReadonlyMap<number, string>;
  /** The token by which the owner can remove the contact whose request they stopped; null if they stopped none. */
  removalToken: string | null;
  deed?: Deed;
  /** What was taken back, where letters were on their way. */
  halted: HaltCounts | null;
  /** The owner’s paid plan does not renew any more. */
  endsPlan: boolean;
};
type Envelope = { notice?: number; key: string; notBefore?: Date; policy: 'standard' | 'owner-reminder' };
type ToPerson = { about: Situation; subjectId: string; at: Date };

/** Writes the mails and texts of what has happened, in the caller's transaction. */
export function createNotify(deps: ReleaseDependencies) {
  const { baseUrl, textsTakeAnswers = false } = deps;
  /** A text carries one silence: the next needs the button or a sign-in, and the text says so. */
  const countsByText = ({ lastCheckinType }: OwnerRow) => textsTakeAnswers && lastCheckinType !== 'sms';

  function notify(
    place: Place,
    { before, after, events, tokens, removalToken, deed, halted, endsPlan }: Happened,
  ): void {
    const { writes, at } = place;
    const now = after.reading.mark;
    const request = requestOf(after) ?? requestOf(before);
    const subjectId = (after.rows.request ?? before.rows.request ?? after.rows.silence)?.id ?? after.owner.id;
    const person = { about: after, subjectId, at };
    const ended = events.find(({ kind }) => kind === 'request_ended');
    const why = ended?.kind === 'request_ended' ? ended.why : undefined;
    const closed = events.find(({ kind }) => kind === 'release_closed');
    const isLeftSo = closed?.kind === 'release_closed' && !closed.takesBack;
    const common = { situation: after, request, now, baseUrl, foreseen: onlyOnce(after, now), why };
    const checkInUrl = linkOnce(writes, after.owner.id, at);
    const toldIds = events.flatMap((event) => (event.kind === 'contact_told' ? [event.contactId] : []));
    const early = deed?.command.kind;
    const isPress = early === 'trustee' ? true : early === 'emergency' ? false : undefined;
    const canAnswer = countsByText(after.owner);
    const asker = askerOf({ request, contacts: before.contacts, removalToken, baseUrl });
    const ownersScene = {
      ...common,
      asker,
      checkInUrl,
      claim: deed?.claim,
      ...(isPress === undefined ? {} : { isPress }),
      toldIds,
      canAnswer,
    };
    const contactsScene = {
      ...common,
      endsPlan,
      sent: sentOf(halted),
      isClosing: deed?.command.kind === 'close',
      isLeftSo,
    };
    const keyOf = (notice: number) => `release:${after.owner.id}:${notice}`;

    for (const event of events) {
      const told = toldBy(event);
      if (!told) continue;
      const { notice, topic } = told;
      const notBefore = topic === 'sign_in' ? new Date(at.getTime() + signInToldAfterMs) : at;
      const envelope = { notice, key: keyOf(notice), notBefore };
      if (told.to === 'owner') {
        const isNews = backTopics.has(topic);
        const policy = isNews ? 'standard' : 'owner-reminder';
        toOwnerBy(writes, person, writeToOwner(topic as OwnerTopic, ownersScene), { ...envelope, policy });
        continue;
      }
      const contact = after.contacts.find(({ id }) => id === told.to);
      if (!contact) continue;
      const own = topic === 'yes_kept' && deed?.link?.contactId === told.to ? deed.link.token : undefined;
      const token = tokens.get(notice) ?? own;
      const portalUrl = token ? `${baseUrl}/trusted-contact-admin/${token}` : null;
      const written = writeToContact(topic as ContactTopic, contact, contactsScene, portalUrl);
      toContactBy(writes, person, told.to, written, envelope);
    }
    if (halted && closed && deed?.command.kind !== 'close') {
      const key = `release-halted:${subjectId}`;
      toOwnerBy(writes, person, haltedMail(ownersScene, halted), { key, policy: 'standard' });
    }
  }

  /** What mails to an owner are written from where nothing has just happened. */
  const quietScene = ({ writes, at }: Place, situation: Situation) => ({
    situation,
    request: requestOf(situation),
    now: situation.reading.mark,
    baseUrl,
    foreseen: onlyOnce(situation, situation.reading.mark),
    checkInUrl: linkOnce(writes, situation.owner.id, at),
    toldIds: [],
    canAnswer: countsByText(situation.owner),
  });

  function linkOnce(writes: Writes, userId: string, at: Date): () => string {
    let url: string | null = null;
    return () => {
      if (url) return url;
      const link = newCheckInLink(deps, { userId, at });
      writes.checkInLink(link.row);
      url = link.url;
      return url;
    };
  }

  return Object.assign(notify, {
    nudge(
      place: Place,
      situation: Situation,
      { sinceMs, sequence, hasOldAddress }: { sinceMs: number; sequence: number; hasOldAddress: boolean },
    ): void {
      const { writes, at } = place;
      const { owner } = situation;
      const scene = { ...quietScene(place, situation), request: null };
      const standing = standingLineOf(situation);
      const mail = nudgeEmail({ ...toOwner(scene, []), checkInUrl: scene.checkInUrl(), standing, hasOldAddress });
      // A nudge belongs to a silence, not to a release.
      const key = `release-nudge:${owner.id}:${sinceMs}:${sequence}`;
      const written = { kind: nudgeKind, mail, text: null };
      toOwnerBy(writes, { about: situation, subjectId: owner.id, at }, written, { key, policy: 'standard' });
    },

    /** Tells an owner whose silence or release was open that records were taken back to a backup. */
    ofRestore(place: Place, situation: Situation, restore: { atMs: number; backupAtMs: number }): void {
      const { writes, at } = place;
      const { owner, world } = situation;
      if (!owner.emailVerified) return;
      const scene = quietScene(place, situation);
      const words = { ...toOwner(scene, []), checkInUrl: scene.checkInUrl(), backupAt: new Date(restore.backupAtMs) };
      const mail = ownerRestoredEmail({ ...words, isReleasing: world.release !== null });
      const { firstName, silentDays, checkInUrl } = words;
      const text = noticeText({ firstName, silentDays, checkInUrl, canAnswer: scene.canAnswer }, 'restored');
      const key = `release-restored:${owner.id}:${restore.atMs}`;
      const person = { about: situation, subjectId: subjectOf(situation), at };
      const written = { kind: restoredKind, mail, text, formerText: formerPhoneText(baseUrl) };
      toOwnerBy(writes, person, written, { key, policy: 'owner-reminder' });
    },

    /** Writes a mail to the owner once more that was given up for our sake, and says nothing of their mailbox. */
    again(place: Place, situation: Situation, { notice, channel, number }: GivenUp): void {
      const found = situation.world.notices.find(({ id }) => id === notice);
      if (found?.to !== 'owner' || found.outcomes[channel]) return;
      const { writes, at } = place;
      const written = writeToOwner(found.topic as OwnerTopic, quietScene(place, situation));
      const key = `release:${situation.owner.id}:${notice}:${number}`;
      const person = { about: situation, subjectId: subjectOf(situation), at };
      toOwnerBy(
        writes,
        person,
        { ...written, text: null, formerText: null },
        { notice, key, policy: 'owner-reminder' },
      );
    },
  });
}

function toOwnerBy(writes: Writes, { about, subjectId, at }: ToPerson, written: Written, envelope: Envelope): void {
  const { owner } = about;
  const name = [owner.firstName, owner.lastName].filter(Boolean).join(' ') || owner.email;
  const { key, policy, notice, notBefore = at } = envelope;
  const cause = { kind: written.kind, userId: owner.id, subjectId, notice, at, notBefore, policy };
  const { mail, text, formerText } = written;
  writes.mail({ ...cause, channel: 'email', dedupeKey: `${key}:email`, to: { address: owner.email, name }, mail });
  const former = formerPhone(owner, at);
  if (former && formerText) {
    // It belongs to no notice: no step counts from it, and an answer to it is nobody's.
    const told = { ...cause, kind: formerPhoneKind, notice: undefined };
    writes.mail({ ...told, channel: 'sms', dedupeKey: `${key}:former-sms`, phone: former, text: formerText });
  }
  const phone = provenPhone(owner);
  if (phone && text) writes.mail({ ...cause, channel: 'sms', dedupeKey: `${key}:sms`, phone, text });
}

function toContactBy(
  writes: Writes,
  { about, subjectId, at }: ToPerson,
  contactId: string,
  written: Written,
  { key, notice, notBefore = at }: Omit<Envelope, 'policy'>,
): void {
  const contact = about.contacts.find(({ id }) => id === contactId);
  if (!contact) throw new Error('Only a contact is written to.');
  // Patient: a link exists once, so a mail that cannot go out today must go out when it can.
  const cause = {
    kind: written.kind,
    userId: about.owner.id,
    subjectId,
    contactId,
    notice,
    at,
    notBefore,
    policy: 'patient' as const,
  };
  const to = { address: contact.email, name: contact.name };
  writes.mail({ ...cause, channel: 'email', dedupeKey: `${key}:email`, to, mail: written.mail });
  const { phone } = contact;
  if (phone && written.text) {
    writes.mail({ ...cause, channel: 'sms', dedupeKey: `${key}:sms`, phone, text: written.text });
  }
}

/** What a mail that belongs to no step is about. */
function subjectOf({ rows, owner }: Situation): string {
  return (rows.request ?? rows.silence)?.id ?? owner.id;
}

/** The contact whose early request the owner stopped, and the page on which the owner can remove that contact. */
function askerOf({
  request,
  contacts,
  removalToken,
  baseUrl,
}: {
  request: Request | null;
  contacts: Situation['contacts'];
  removalToken: string | null;
  baseUrl: string;
}): Asker | null {
  const contact = contacts.find(({ id }) => id === request?.askedBy);
  if (removalToken === null || !contact) return null;
  return { name: firstNameOf(contact.name), removalUrl: `${baseUrl}/remove-contact/${removalToken}` };
}

/** A mail of a notice that was given up, and how many of it there have been. */
export type GivenUp = { notice: number; channel: Channel; number: number };

/** What is said to somebody who has just been here. */
const backTopics: ReadonlySet<string> = new Set(['welcome_back', 'sign_in', 'not_owner']);

export function requestOf({ world }: Situation): Request | null {
  return world.request ?? world.release?.request ?? null;
}

/** Asked for by few mails, and dear: the core is run forward once, and only then. */
function onlyOnce({ world }: Situation, now: Mark): Forecast {
  let foreseen: Forecast | null = null;
  return (kind) => {
    foreseen ??= forecastOf(world, now);
    return foreseen(kind);
  };
}

function sentOf(halted: HaltCounts | null): Sent {
  if (!halted || (halted.sent === 0 && halted.mayArrive === 0)) return 'nothing';
  return halted.sent > 0 ? 'some' : 'may_arrive';
}
