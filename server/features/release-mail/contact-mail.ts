import type { ConfirmedContact } from '#server/features/contacts/confirmed-contacts.ts';
import { aliveBefore, latestAliveCount } from '#server/features/release-core/alive.rules.ts';
import type { EndOfRequest } from '#server/features/release-core/events.rules.ts';
import {
  isAway,
  isUnderReview,
  liveAsk,
  newestAsk,
  pausedBy,
  waitEndsAtMs,
  wasReached,
  yesesOf,
} from '#server/features/release-core/facts.rules.ts';
import {
  daysOfWait,
  daysToAnswer,
  type Forecast,
  missingOf,
  pauseForecast,
} from '#server/features/release-core/forecast.rules.ts';
import type { ContactTopic, Letter, Mark, Request } from '#server/features/release-core/model.rules.ts';
import { noticeOf } from '#server/features/release-core/notice-facts.rules.ts';
import { dateOf } from '#server/features/release-state/release.rows.ts';
import type { LoadedWorld } from '#server/features/release-state/release.store.ts';
import type { MailKind } from '#server/mails.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import type { Written } from './owner-mail.ts';
import type { Mail } from './release.emails.ts';
import { askText } from './release.texts.ts';
import { contactConfirmedEmail } from './release-confirmed.emails.ts';
import {
  contactAliveAgainEmail,
  contactAskedEmail,
  contactClosedEmail,
  contactEndedEmail,
  contactHaltedEmail,
  contactPausedEmail,
  contactStoppedEmail,
  type Deadline,
  type Sent,
  type ToContact,
} from './release-contacts.emails.ts';
import { contactDelayedEmail } from './release-delayed.emails.ts';
import { contactReleasedEmail, type ReleasedMessages } from './release-done.emails.ts';
import { contactSignInEmails } from './release-question.emails.ts';
import { waitingSentence } from './waiting.words.ts';

/** Facts for a mail to a contact. */
export type ContactsScene = {
  loaded: LoadedWorld;
  /** The request that it is about, which may just have ended. */
  request: Request | null;
  now: Mark;
  baseUrl: string;
  foreseen: Forecast;
  sent: Sent;
  /** The account is being deleted, so no mail says that its owner is well. */
  isClosing: boolean;
  /** The owner is well, and leaves delivered letters as they are. */
  isLeftSo: boolean;
  /** The owner’s paid plan does not renew any more. */
  endsPlan: boolean;
  why?: EndOfRequest | undefined;
};

/** The mail that tells a contact of something; of a question, with its link. */
export function writeToContact(
  topic: ContactTopic,
  contact: ConfirmedContact,
  scene: ContactsScene,
  portalUrl: string | null,
): Written {
  const to = toContact(contact, scene);
  if (topic === 'question') {
    if (!portalUrl) throw new Error('A question needs a link.');
    const text = contact.phone ? askText({ ownerName: to.ownerName, portalUrl }) : null;
    return { kind: 'release.contact_asked', mail: questionMail(to, contact.id, scene, portalUrl), text };
  }
  if (topic === 'yes_kept') {
    return { kind: 'release.contact_confirmed', mail: yesKeptMail(to, contact.id, scene, portalUrl), text: null };
  }
  const { kind, mail } = noticeMail(topic, to, contact.id, scene);
  return { kind, mail, text: null };
}

function toContact({ name }: ConfirmedContact, { loaded, baseUrl }: ContactsScene): ToContact {
  const { firstName, lastName, email } = loaded.owner;
  const ownerName = [firstName, lastName].filter(Boolean).join(' ') || email;
  return { contactName: name, ownerName, ownerFirstName: firstName || ownerName, baseUrl };
}

function noticeMail(
  topic: Exclude<ContactTopic, 'question' | 'yes_kept'>,
  to: ToContact,
  contactId: string,
  scene: ContactsScene,
): { kind: MailKind; mail: Mail } {
  const { loaded, request, now, sent, isClosing } = scene;
  const { world } = loaded;
  switch (topic) {
    case 'paused': {
      const part = partInPause(scene, contactId);
      return {
        kind: 'release.contact_paused',
        mail: contactPausedEmail(to, {
          ...pauseForecast(world, request, now),
          part,
          isAlive: request !== null && pausedBy(request)?.says === 'alive',
        }),
      };
    }
    case 'alive_again': {
      const times = request ? latestAliveCount(request) : 0;
      const part = partInPause(scene, contactId);
      return { kind: 'release.contact_alive_again', mail: contactAliveAgainEmail(to, { times, part }) };
    }
    case 'delayed': {
      const deliverAt = { notBeforeMs: request?.toldUntilMs ?? now.atMs, daysAfterSending: 0 };
      return { kind: 'release.contact_delayed', mail: contactDelayedEmail(to, { deliverAt }) };
    }
    case 'request_ended':
      return { kind: 'release.contact_ended', mail: contactEndedEmail(to, { why: scene.why ?? null }) };
    case 'sign_in':
      return { kind: 'release.contact_question', mail: contactSignInEmails.question(to) };
    case 'not_owner':
      return { kind: 'release.contact_not_owner', mail: contactSignInEmails.not_owner(to) };
    case 'done': {
      const keepsPage = request?.asks.some((ask) => ask.contactId === contactId) ?? false;
      // A declined letter has no day: it waits for a word.
      const letters = (world.release?.letters ?? []).filter((each) => each.state !== 'later' || !each.isDeclined);
      const waiting = waitingSentence(letters.flatMap((each) => (each.state === 'later' ? each.dueAtMs : [])));
      const messages = releasedMessages(letters, loaded.messageOf);
      return {
        kind: 'release.contact_released',
        mail: contactReleasedEmail(to, { keepsPage, messages, waiting, endsPlan: scene.endsPlan }),
      };
    }
    case 'nothing_was_sent':
    case 'taken_back': {
      if (scene.isLeftSo) return { kind: 'release.contact_left', mail: contactSignInEmails.left(to) };
      if (isClosing) return { kind: 'release.contact_closed', mail: contactClosedEmail(to, { sent }) };
      const mail = sent === 'nothing' ? contactStoppedEmail(to) : contactHaltedEmail(to, { sent });
      return { kind: 'release.contact_stopped', mail };
    }
  }
}

/** Counts each message once, although every reader has a letter of their own. */
function releasedMessages(letters: readonly Letter[], messageOf: LoadedWorld['messageOf']): ReleasedMessages {
  const messages = [...Map.groupBy(letters, ({ id }) => messageOf.get(id) ?? id).values()];
  const due = messages.flatMap((all) => {
    const states = new Set(
      all.flatMap(({ state }) => (state === 'later' ? [] : [state === 'failed' ? 'failed' : 'arrived'])),
    );
    return states.size === 0 ? [] : [states];
  });
  return {
    arrived: due.filter((states) => states.has('arrived')).length,
    partly: due.filter((states) => states.size > 1).length,
    failed: due.filter((states) => !states.has('arrived')).length,
    later: messages.length - due.length,
  };
}

/** On which day the letters go after this contact's yes, and how the contact withdraws it. */
function yesKeptMail(to: ToContact, contactId: string, scene: ContactsScene, portalUrl: string | null): Mail {
  const { loaded, request, now } = scene;
  if (!request) throw new Error('A yes belongs to a request.');
  const { phase } = request;
  const missing = missingOf(loaded.world, request);
  const wait = phase.name !== 'holding' ? null : { days: phase.days, beginsWithNotice: phase.from === null };
  const until = wait && { notBeforeMs: now.atMs + wait.days * dayMs, daysAfterSending: 0 };
  return contactConfirmedEmail(to, {
    missing,
    wait: wait && until && { ...wait, until },
    portalUrl,
    isUnderReview: isUnderReview(loaded.world),
    hasEarlierLink: newestAsk(request, contactId) !== undefined,
  });
}

function partInPause({ loaded, request }: ContactsScene, contactId: string) {
  if (!request || request.phase.name === 'paused') return 'none';
  if (liveAsk(request, contactId)) return 'can_answer';
  return yesesOf(loaded.world, request).includes(contactId) ? 'has_confirmed' : 'none';
}

function questionMail(to: ToContact, contactId: string, scene: ContactsScene, portalUrl: string): Mail {
  const { loaded, request, now } = scene;
  const { world, owner } = loaded;
  if (!request) throw new Error('A contact is asked in a request.');
  const ask = newestAsk(request, contactId);
  const isDayless = ask !== undefined && noticeOf(world, ask.notice).isDayless === true;
  const isInTheirName = request.cause === 'emergency' && request.askedBy === contactId;
  const early = isInTheirName ? 'emergency' : 'trustee';
  const days = daysOfWait(world, request, now);
  const wait = {
    days,
    // A question in the middle of a wait gives no more time.
    until: new Date(waitEndsAtMs(world, now) ?? now.atMs + days * dayMs),
    isBegun: request.phase.name === 'holding',
    isUnderReview: isUnderReview(world),
  };
  return contactAskedEmail({
    ...to,
    portalUrl,
    lastActivityAt: owner.lastCheckinAt,
    quorum: request.terms.needed,
    contactCount: world.contacts.length,
    cause: request.cause === 'silence' ? 'silence' : early,
    deadline: isDayless ? null : deadlineOf(scene, request),
    waitsForReminders: isDayless,
    ...(days > 0 ? { wait } : {}),
    wasReached: wasReached(world),
    awayUntil: isAway(world, now) ? dateOf(world.owner.awayUntilMs) : null,
    aliveSaidAt: dateOf(ask && aliveBefore(request, ask)?.at.atMs),
  });
}

/** Time at which delivery by silence alone begins without an answer. Null if people alone decide. */
function deadlineOf({ loaded, now, foreseen }: ContactsScene, request: Request): Deadline | null {
  const { world } = loaded;
  if (world.owner.method !== 'inactivity' || request.cause !== 'silence') return null;
  const newest = request.asks.at(-1);
  const days = daysToAnswer(world, request.terms);
  if (!newest?.isRepeat) return { days };
  // A link that is sent again gives no contact more time. It says how much is left.
  const releasedMs = foreseen('released');
  return releasedMs === null ? null : { at: new Date(releasedMs), askedAt: new Date(now.atMs) };
}
