import type { App } from '#server/app.ts';
import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { formerPhone } from '#server/features/accounts/former-phone.ts';
import { provenPhone } from '#server/features/accounts/proven-phone.ts';
import { type Event, toldBy } from '#server/features/release-core/events.rules.ts';
import { type Forecast, forecastOf } from '#server/features/release-core/forecast.rules.ts';
import type { Channel, ContactTopic, Mark, OwnerTopic, Request } from '#server/features/release-core/model.rules.ts';
import { newCheckInLink } from '#server/features/release-state/checkin-link.ts';
import type { CommandContext } from '#server/features/release-state/command-context.ts';
import type { LoadedWorld } from '#server/features/release-state/release.store.ts';
import type { Writes, Writing } from '#server/features/release-state/release.writes.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { firstNameOf } from '#shared/rules/names.ts';
import { writeToContact } from './contact-mail.ts';
import { haltedMail, standingLineOf, toOwner, type Written, writeToOwner } from './owner-mail.ts';
import { formerPhoneText, noticeText } from './release.texts.ts';
import type { Sent } from './release-contacts.emails.ts';
import { nudgeEmail } from './release-reminders.emails.ts';
import { ownerRestoredEmail } from './release-restored.emails.ts';
import type { Asker, HaltCounts } from './release-return.emails.ts';

/** Time after which an unanswered sign-in after delivery is reported to owner and contacts. */
export const signInToldAfterMs = dayMs;

/** Result of one step, with the outcome for its letters. */
export type StepResult = {
  before: LoadedWorld;
  after: LoadedWorld;
  events: readonly Event[];
  /** The token in the link of each question. */
  tokens: ReadonlyMap<number, string>;
  /** The token by which the owner can remove the contact whose request they stopped; null if they stopped none. */
  removalToken: string | null;
  context?: CommandContext;
  /** Letters that were withdrawn, if any were being sent. */
  halted: HaltCounts | null;
  /** The owner’s paid plan does not renew any more. */
  endsPlan: boolean;
};
type Envelope = { notice?: number; key: string; notBefore?: Date };
type ToPerson = { about: LoadedWorld; subjectId: string; at: Date };

/** Writes the mails and texts of a step's events, in the caller's transaction. */
export function notifyOfStep(
  app: App,
  { writes, at }: Writing,
  { before, after, events, tokens, removalToken, context, halted, endsPlan }: StepResult,
): void {
  const { baseUrl } = app;
  const now = after.reading.mark;
  const request = requestOf(after) ?? requestOf(before);
  const subjectId = (after.rows.request ?? before.rows.request ?? after.rows.silence)?.id ?? after.owner.id;
  const person = { about: after, subjectId, at };
  const ended = events.find(({ kind }) => kind === 'request_ended');
  const why = ended?.kind === 'request_ended' ? ended.why : undefined;
  const closed = events.find(({ kind }) => kind === 'release_closed');
  const isLeftSo = closed?.kind === 'release_closed' && !closed.takesBack;
  const common = { loaded: after, request, now, baseUrl, foreseen: onlyOnce(after, now), why };
  const checkInUrl = linkOnce(app, writes, after.owner.id, at);
  const toldIds = events.flatMap((event) => (event.kind === 'contact_told' ? [event.contactId] : []));
  const early = context?.command.kind;
  const isPress = early === 'trustee' ? true : early === 'emergency' ? false : undefined;
  const canAnswer = countsByText(app, after.owner);
  const isStopped = events.some((event) => 'past' in event && Boolean(event.past?.stopped));
  const asker = askerOf({ request, contacts: before.contacts, removalToken, isStopped, baseUrl });
  const ownersScene = {
    ...common,
    asker,
    checkInUrl,
    claim: context?.claim,
    ...(isPress === undefined ? {} : { isPress }),
    toldIds,
    canAnswer,
  };
  const contactsScene = {
    ...common,
    endsPlan,
    sent: sentOf(halted),
    isClosing: context?.command.kind === 'close',
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
      toOwnerBy(writes, person, writeToOwner(topic as OwnerTopic, ownersScene), envelope);
      continue;
    }
    const contact = after.contacts.find(({ id }) => id === told.to);
    if (!contact) continue;
    const own = topic === 'yes_kept' && context?.link?.contactId === told.to ? context.link.token : undefined;
    const token = tokens.get(notice) ?? own;
    const portalUrl = token ? `${baseUrl}/trusted-contact-admin/${token}` : null;
    const written = writeToContact(topic as ContactTopic, contact, contactsScene, portalUrl);
    toContactBy(writes, person, told.to, written, envelope);
  }
  if (halted && closed && context?.command.kind !== 'close') {
    const key = `release-halted:${subjectId}`;
    toOwnerBy(writes, person, haltedMail(ownersScene, halted), { key });
  }
}

/** A text carries one silence: the next needs the button or a sign-in, and the text says so. */
function countsByText({ texter }: App, { lastCheckinType }: OwnerRow): boolean {
  return texter.takesAnswers && lastCheckinType !== 'sms';
}

/** Facts for mails to an owner without a new event. */
function quietScene(app: App, { writes, at }: Writing, loaded: LoadedWorld) {
  return {
    loaded,
    request: requestOf(loaded),
    now: loaded.reading.mark,
    baseUrl: app.baseUrl,
    foreseen: onlyOnce(loaded, loaded.reading.mark),
    checkInUrl: linkOnce(app, writes, loaded.owner.id, at),
    toldIds: [],
    canAnswer: countsByText(app, loaded.owner),
  };
}

function linkOnce(app: App, writes: Writes, userId: string, at: Date): () => string {
  let url: string | null = null;
  return () => {
    if (url) return url;
    const link = newCheckInLink(app, { userId, at });
    writes.checkInLink(link.row);
    url = link.url;
    return url;
  };
}

/** Asks an owner at their interval whether all is well, before the first reminder. */
export function writeNudge(
  app: App,
  writing: Writing,
  loaded: LoadedWorld,
  { sinceMs, sequence, hasOldAddress }: { sinceMs: number; sequence: number; hasOldAddress: boolean },
): void {
  const { owner } = loaded;
  const scene = { ...quietScene(app, writing, loaded), request: null };
  const standing = standingLineOf(loaded);
  const mail = nudgeEmail({ ...toOwner(scene, []), checkInUrl: scene.checkInUrl(), standing, hasOldAddress });
  // A nudge belongs to a silence, not to a release.
  const key = `release-nudge:${owner.id}:${sinceMs}:${sequence}`;
  const person = { about: loaded, subjectId: owner.id, at: writing.at };
  toOwnerBy(writing.writes, person, { kind: 'release.nudge', mail, text: null }, { key });
}

/** Notifies an owner whose silence or release was open that records were restored from a backup. */
export function writeRestored(
  app: App,
  writing: Writing,
  loaded: LoadedWorld,
  restore: { atMs: number; backupAtMs: number },
): void {
  const { owner, world } = loaded;
  if (!owner.emailVerified) return;
  const scene = quietScene(app, writing, loaded);
  const words = { ...toOwner(scene, []), checkInUrl: scene.checkInUrl(), backupAt: new Date(restore.backupAtMs) };
  const mail = ownerRestoredEmail({ ...words, isReleasing: world.release !== null });
  const { firstName, silentDays, checkInUrl } = words;
  const text = noticeText({ firstName, silentDays, checkInUrl, canAnswer: scene.canAnswer }, 'restored');
  const key = `release-restored:${owner.id}:${restore.atMs}`;
  const person = { about: loaded, subjectId: subjectOf(loaded), at: writing.at };
  const written = { kind: 'release.owner_restored', mail, text, formerText: formerPhoneText(app.baseUrl) } as const;
  toOwnerBy(writing.writes, person, written, { key });
}

/** Rewrites an owner's mail that timed out through our fault. It says nothing about their mailbox. */
export function rewriteNotice(
  app: App,
  writing: Writing,
  loaded: LoadedWorld,
  { notice, channel, number }: TimedOut,
): void {
  const found = loaded.world.notices.find(({ id }) => id === notice);
  if (found?.to !== 'owner' || found.outcomes[channel]) return;
  const written = writeToOwner(found.topic as OwnerTopic, quietScene(app, writing, loaded));
  const key = `release:${loaded.owner.id}:${notice}:${number}`;
  const person = { about: loaded, subjectId: subjectOf(loaded), at: writing.at };
  const mail = { ...written, text: null, formerText: null };
  toOwnerBy(writing.writes, person, mail, { notice, key });
}

function toOwnerBy(writes: Writes, { about, subjectId, at }: ToPerson, written: Written, envelope: Envelope): void {
  const { owner } = about;
  const name = [owner.firstName, owner.lastName].filter(Boolean).join(' ') || owner.email;
  const { key, notice, notBefore = at } = envelope;
  const cause = { kind: written.kind, userId: owner.id, subjectId, notice, at, notBefore };
  const { mail, text, formerText } = written;
  writes.mail({ ...cause, channel: 'email', dedupeKey: `${key}:email`, to: { address: owner.email, name }, mail });
  const former = formerPhone(owner, at);
  if (former && formerText) {
    // This text belongs to no notice: no step counts from it, and a reply to it counts for no one.
    const told = { ...cause, kind: 'release.former_phone', notice: undefined } as const;
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
  { key, notice, notBefore = at }: Envelope,
): void {
  const contact = about.contacts.find(({ id }) => id === contactId);
  if (!contact) throw new Error('Only a contact is written to.');
  const cause = { kind: written.kind, userId: about.owner.id, subjectId, contactId, notice, at, notBefore };
  const to = { address: contact.email, name: contact.name };
  writes.mail({ ...cause, channel: 'email', dedupeKey: `${key}:email`, to, mail: written.mail });
  const { phone } = contact;
  if (phone && written.text) {
    writes.mail({ ...cause, channel: 'sms', dedupeKey: `${key}:sms`, phone, text: written.text });
  }
}

/** Subject of a mail that belongs to no step. */
function subjectOf({ rows, owner }: LoadedWorld): string {
  return (rows.request ?? rows.silence)?.id ?? owner.id;
}

/** The contact whose early request the owner ended, and the page on which the owner can remove that contact. */
function askerOf({
  request,
  contacts,
  removalToken,
  isStopped,
  baseUrl,
}: {
  request: Request | null;
  contacts: LoadedWorld['contacts'];
  removalToken: string | null;
  isStopped: boolean;
  baseUrl: string;
}): Asker | null {
  const contact = contacts.find(({ id }) => id === request?.askedBy);
  if (removalToken === null || !contact) return null;
  return { name: firstNameOf(contact.name), removalUrl: `${baseUrl}/remove-contact/${removalToken}`, isStopped };
}

/** Mail of a notice that timed out, and the number of mails of this notice so far. */
type TimedOut = { notice: number; channel: Channel; number: number };

export function requestOf({ world }: LoadedWorld): Request | null {
  return world.request ?? world.release?.request ?? null;
}

/** Runs the core forward once, if a mail needs the forecast. */
function onlyOnce({ world }: LoadedWorld, now: Mark): Forecast {
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
