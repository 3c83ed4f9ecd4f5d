import { provenPhone } from '#server/features/accounts/proven-phone.ts';
import type { DayAfterSending } from '#server/platform/mail/mail-day.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import {
  type HaltCounts,
  type Mail,
  ownerAskedEmail,
  ownerEarlyEmail,
  ownerHaltedEmail,
  ownerHoldingEmail,
  ownerPausedEmail,
  ownerReleasingEmail,
  welcomeBackEmail,
} from './release.emails.ts';
import { askText, noticeText, reminderText } from './release.texts.ts';
import { invitationOfRound, liveInvitation, requiredConfirmations } from './release-answers.rules.ts';
import { newCheckInLink } from './release-checkin-link.ts';
import {
  contactAskedEmail,
  contactClosedEmail,
  contactHaltedEmail,
  contactPausedEmail,
  contactReleasedEmail,
  contactStoppedEmail,
  type Deadline,
  type ToContact,
} from './release-contacts.emails.ts';
import { reminderDays } from './release-days.rules.ts';
import type { ReleaseDependencies } from './release-dependencies.ts';
import { type ContactNotice, type OwnerNotice, toldContacts } from './release-events.rules.ts';
import { answerDaysOf, type Sent, silenceMoments, waitingDaysOf } from './release-facts.rules.ts';
import { askedAgainKind, askedMail, mailKey, nudgeKey, ownerMailTries, restoredMail } from './release-keys.rules.ts';
import { earlyProspect, keepsPage, partInPause, pauseProspect } from './release-prospects.rules.ts';
import { contactSignInEmails, ownerSignInEmails } from './release-question.emails.ts';
import { questionToldAfterMs } from './release-question.rules.ts';
import { firstReminderEmail, lastReminderEmail, nudgeEmail } from './release-reminders.emails.ts';
import { contactRestoredEmail, ownerRestoredEmail } from './release-restored.emails.ts';
import type { Contact, Scene } from './release-scene.ts';
import { ownerFacts } from './release-state.ts';

type MailDependencies = Pick<ReleaseDependencies, 'hashToken' | 'baseUrl' | 'answerDaysDefault' | 'textsTakeAnswers'>;
/** `restore`: what was asked before, and is asked again. A text of it would be taken for a question to its owner. */
type Question = { isInTheirName?: boolean; restore?: { backupAtMs: number } };
type Words = { what: string; mail: Mail; text: string | null };
type ContactsMail = { tries?: number; by?: string; kind?: string; notBefore?: Date };
type OwnersMail = { personId: string; tries: number; notBefore?: Date };

/** Writes the mails and texts of one step, and the links in them: they go with the rest of what the step writes. */
export function createReleaseMail(deps: MailDependencies, scene: Scene) {
  const { baseUrl, answerDaysDefault, textsTakeAnswers: canAnswer = false } = deps;
  const { writes, at, owner, cycle, cycleId, contacts, readyMessages } = scene;
  const facts = ownerFacts(owner, answerDaysDefault);
  const windowFactor = cycle.ownerUnreachable ? 2 : 1;
  const firstName = owner.firstName ?? '';
  const situation = {
    owner: facts,
    cycle,
    contacts: contacts.map(({ id, confirmedAt }) => ({ id, confirmedAtMs: confirmedAt.getTime() })),
  };
  const answerDays = answerDaysOf(situation);
  const ownerName = [owner.firstName, owner.lastName].filter(Boolean).join(' ') || owner.email;
  /** A question that is answered within a day is told to nobody; its moment, in place of a try, tells it from a later one. */
  const askedMs = cycle.question?.atMs ?? at.getTime();
  const ofQuestion = { tries: askedMs, notBefore: new Date(askedMs + questionToldAfterMs) };
  let checkInUrl: string | null = null;

  /** One link serves the mail and the text of a step. */
  function linkOnce(): string {
    if (checkInUrl) return checkInUrl;
    const link = newCheckInLink(deps, { userId: owner.id, at });
    writes.checkInLink(link.row);
    checkInUrl = link.url;
    return checkInUrl;
  }

  const silentDays = Math.max(0, Math.floor((at.getTime() - facts.lastActivityMs) / dayMs));
  const toOwner = (contacts: readonly Contact[]) => ({
    firstName,
    baseUrl,
    lastActivityAt: owner.lastCheckinAt,
    silentDays,
    contactNames: contacts.map(({ name }) => firstNameOf(name)),
  });

  /** When a delivery by silence alone could begin at the earliest; `null` where people alone decide. */
  const deliverAt =
    facts.releaseMethod === 'inactivity' && cycle.cause === 'silence'
      ? new Date(Math.max(at.getTime(), (cycle.asked?.atMs ?? at.getTime()) + answerDays * windowFactor * dayMs))
      : null;

  /** `null` where nothing is delivered without an answer. */
  function deadlineToAnswer(): Deadline | null {
    if (!deliverAt) return null;
    return cycle.asked ? { at: deliverAt, askedAt: at } : { days: answerDays * windowFactor };
  }

  function sendToOwner(
    { what, mail, text }: Words,
    policy: 'standard' | 'owner-reminder',
    { notBefore = at, ...about }: OwnersMail = { personId: owner.id, tries: ownerMailTries(cycle, what) },
  ): void {
    const key = { cycleId, what, round: cycle.round, ...about };
    const cause = { kind: `release.${what}`, userId: owner.id, subjectId: cycleId, at, notBefore, policy };
    const to = { address: owner.email, name: ownerName };
    writes.mail({
      ...cause,
      channel: 'email',
      dedupeKey: mailKey({ ...key, channel: 'email' }),
      to,
      mail,
    });
    const phone = provenPhone(owner);
    if (phone === null || !text) return;
    const dedupeKey = mailKey({ ...key, channel: 'sms' });
    writes.mail({ ...cause, channel: 'sms', dedupeKey, phone, text });
  }

  function sendToContact(
    contact: Contact,
    { what, mail, text }: Words,
    { tries = 0, by, kind = `release.${what}`, notBefore = at }: ContactsMail = {},
  ): void {
    const key = { cycleId, what, round: cycle.round, tries, personId: contact.id };
    // Patient: a link exists once, so a mail that cannot go out today must go out when it can.
    const cause = { kind, userId: owner.id, subjectId: cycleId, at, notBefore, policy: 'patient' as const };
    const to = { address: contact.email, name: contact.name };
    writes.mail({
      ...cause,
      channel: 'email',
      dedupeKey: mailKey({ ...key, channel: 'email' }, by),
      to,
      mail,
    });
    if (!contact.phone || !text) return;
    const dedupeKey = mailKey({ ...key, channel: 'sms' }, by);
    writes.mail({ ...cause, channel: 'sms', dedupeKey, phone: contact.phone, text });
  }

  function daysFromSending(days: number): DayAfterSending {
    return { notBeforeMs: at.getTime() + days * dayMs, daysAfterSending: days };
  }

  /** The owner's own days, twice as many for an unreachable owner. */
  const ownersDays = waitingDaysOf(situation) * windowFactor;

  function noticeMail(about: OwnerNotice, halted: HaltCounts | null): Mail {
    if (about === 'welcome_back') {
      // Whoever is told, by the very rule that tells them.
      const told = toldContacts(cycle);
      return welcomeBackEmail(toOwner(contacts.filter(({ id }) => told.includes(id))));
    }
    if (about === 'halted') {
      const counts = halted ?? { cancelled: 0, withdrawn: 0, opened: 0, sent: 0, mayArrive: 0 };
      return ownerHaltedEmail({ ...toOwner([]), counts });
    }
    const asked = contacts.filter(({ id }) => cycle.invitations.some(({ contactId }) => contactId === id));
    const common = { ...toOwner(asked), checkInUrl: linkOnce() };
    switch (about) {
      case 'asked':
        return ownerAskedEmail({
          ...common,
          deliverAt: deliverAt && !cycle.asked ? daysFromSending(answerDays * windowFactor) : deliverAt,
        });
      case 'emergency':
      case 'trustee':
        return ownerEarlyEmail({
          ...common,
          cause: about,
          prospect: earlyProspect(situation, at.getTime()),
          ...(scene.claim ? { claim: scene.claim } : {}),
        });
      case 'paused':
        return ownerPausedEmail({ ...common, prospect: pauseProspect(situation, at.getTime()) });
      case 'holding':
        return ownerHoldingEmail({ ...common, waitingDays: ownersDays, until: daysFromSending(ownersDays) });
      case 'releasing':
        return ownerReleasingEmail(common);
      case 'question':
      case 'not_owner':
        return ownerSignInEmails[about](common);
    }
  }

  function contactMail(about: ContactNotice, { id, ...person }: Contact, sent: Sent): Mail {
    const contact = toContact(person);
    if (about === 'paused') {
      const part = partInPause(situation, id, at.getTime());
      return contactPausedEmail(contact, { ...pauseProspect(situation, at.getTime()), part });
    }
    if (about === 'released') return contactReleasedEmail(contact, { keepsPage: keepsPage(cycle, id) });
    if (about === 'question' || about === 'not_owner' || about === 'left') return contactSignInEmails[about](contact);
    if (about === 'closed') return contactClosedEmail(contact, { sent });
    return sent === 'nothing' ? contactStoppedEmail(contact) : contactHaltedEmail(contact, { sent });
  }

  const toContact = (contact: Pick<Contact, 'name'>): ToContact => ({
    contactName: contact.name,
    ownerName,
    ownerFirstName: owner.firstName || ownerName,
    baseUrl,
  });

  return {
    nudge(sequence: number): void {
      const mail = nudgeEmail({ ...toOwner([]), checkInUrl: linkOnce() });
      writes.mail({
        channel: 'email',
        kind: 'release.nudge',
        userId: owner.id,
        subjectId: owner.id,
        dedupeKey: nudgeKey(owner.id, facts.lastActivityMs, sequence),
        at,
        to: { address: owner.email, name: ownerName },
        mail,
      });
    },

    remind(which: 'first' | 'last'): void {
      const url = linkOnce();
      const hasAsked = cycle.cause === 'silence' && cycle.round > 0;
      const askedMs = hasAsked ? (cycle.asked?.atMs ?? at.getTime()) : null;
      const moments = silenceMoments(facts);
      const { releaseMethod } = facts;
      const days = reminderDays(which, { moments, answerDays, windowFactor, releaseMethod, askedMs });
      const common = { ...toOwner(contacts), checkInUrl: url, hasAsked, readyMessages, ...days };
      const mail = which === 'first' ? firstReminderEmail(common) : lastReminderEmail(common);
      const text = reminderText({ firstName, silentDays, checkInUrl: url, canAnswer }, which);
      sendToOwner({ what: `${which}_reminder`, mail, text }, 'owner-reminder');
    },

    tellOwner({ about, contactId }: { about: OwnerNotice; contactId?: string }, halted: HaltCounts | null): void {
      const mail = noticeMail(about, halted);
      const isQuestion = about === 'question' || about === 'not_owner';
      const isBack = about === 'welcome_back' || about === 'halted' || isQuestion;
      const text = isBack ? null : noticeText({ firstName, silentDays, checkInUrl: linkOnce(), canAnswer }, about);
      const ofOwner = isQuestion
        ? { personId: owner.id, ...(about === 'question' ? ofQuestion : { tries: at.getTime() }) }
        : undefined;
      const ofContact =
        contactId === undefined
          ? ofOwner
          : { personId: contactId, tries: invitationOfRound(cycle, contactId)?.tries ?? 0 };
      sendToOwner({ what: `owner_${about}`, mail, text }, isBack ? 'standard' : 'owner-reminder', ofContact);
    },

    tellOfRestore({ atMs, backupAtMs }: { atMs: number; backupAtMs: number }): void {
      const backupAt = new Date(backupAtMs);
      const mail = ownerRestoredEmail({ ...toOwner([]), checkInUrl: linkOnce(), backupAt, state: cycle.state });
      const text = noticeText({ firstName, silentDays, checkInUrl: linkOnce(), canAnswer }, 'restored');
      // In place of a try: its moment tells this restore from another of the same release.
      const about = { personId: owner.id, tries: atMs };
      sendToOwner({ what: restoredMail, mail, text }, 'owner-reminder', about);
    },

    ask(contactId: string, token: string, { isInTheirName = false, restore }: Question): void {
      const contact = contacts.find(({ id }) => id === contactId);
      if (!contact) throw new Error('Only a confirmed contact is asked.');
      const portalUrl = `${baseUrl}/trusted-contact-admin/${token}`;
      // Another's early request is told as that, whichever way it was made.
      const early = isInTheirName ? 'emergency' : 'trustee';
      const cause = cycle.cause === 'silence' ? 'silence' : early;
      const needed = { quorum: requiredConfirmations(situation), contactCount: contacts.length };
      const tries = liveInvitation(cycle, contactId)?.tries ?? 0;
      const common = { ...toContact(contact), portalUrl, lastActivityAt: owner.lastCheckinAt, ...needed };
      if (restore) {
        const when = { backupAt: new Date(restore.backupAtMs), answerDays: deliverAt && answerDays * windowFactor };
        const mail = contactRestoredEmail({ ...common, ...when, isEarly: cycle.cause !== 'silence' });
        sendToContact(contact, { what: askedMail, mail, text: null }, { tries, kind: askedAgainKind });
        return;
      }
      const { waitingDays: days } = earlyProspect(situation, at.getTime());
      const wait = { days, until: new Date(at.getTime() + ownersDays * dayMs), isBegun: cycle.state === 'holding' };
      const mail = contactAskedEmail({ ...common, cause, deadline: deadlineToAnswer(), ...(days > 0 ? { wait } : {}) });
      sendToContact(contact, { what: askedMail, mail, text: askText({ ownerName, portalUrl }) }, { tries });
    },

    tellContact(
      { about, by, tries = 0, sent }: { about: ContactNotice; by?: string; tries?: number; sent: Sent },
      contactId: string,
    ): void {
      const contact = contacts.find(({ id }) => id === contactId);
      // Somebody who was removed in the meantime is not written to any more.
      if (!contact) return;
      const words = { what: `contact_${about}`, mail: contactMail(about, contact, sent), text: null };
      sendToContact(contact, words, about === 'question' ? ofQuestion : { tries, ...(by === undefined ? {} : { by }) });
    },
  };
}

function firstNameOf(name: string): string {
  return name.trim().split(/\s+/)[0] ?? name;
}
