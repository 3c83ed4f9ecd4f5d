import type { User } from '#shared/contract/accounts.ts';
import type { TrustedContact } from '#shared/contract/contacts.ts';
import type { Message } from '#shared/contract/messages.ts';
import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import { billingOf } from '#web/pages/account/billing.test-world.ts';
import { daysFromNow, idOf, openPage, type Service, startService } from '#web/pages/pages.test-world.tsx';
import { documentAnswer, isOfDocuments } from './documents.test-world.ts';
import { letterAnswer } from './letters.test-world.ts';
// Fetched by a page when they are wanted: there already, so that no test waits for them.
import '#web/features/messages/delivered-dialog.tsx';
import '#web/features/messages/message-dialog.tsx';

export { daysFromNow, idOf, openPage, type Service };

export const sam: User = {
  id: idOf(1),
  email: 'sam@ashworth.example',
  firstName: 'Sam',
  lastName: 'Ashworth',
  profileImageUrl: null,
  phone: null,
  isPhoneProven: false,
  plan: 'essential',
  intendedPlan: null,
  isPlanOffered: false,
  role: 'user',
  isAdministrator: false,
  emailVerified: true,
  isMailboxProven: true,
  releaseMethod: 'inactivity',
  inactivityDays: 90,
  checkinIntervalDays: 30,
  lastCheckinAt: daysFromNow(-4),
  isTrustedContactAccount: false,
  tempPassword: false,
};

export const stats = {
  currentPlan: 'essential',
  activeMessages: 3,
  storageUsedMB: 12.34,
  trustedContacts: 2,
  lastCheckinDays: 4,
  lastCheckinAt: daysFromNow(-4),
  heardOn: [],
  hasRehearsed: true,
  hasSavedCopy: true,
};

export const limits = {
  messages: { current: 3, limit: 10, canCreate: true },
  storage: { current: 12.34, currentBytes: 12_340_000, limit: 500, canUpload: true },
};

/** Sign-in of Sam: a password and nothing else. */
export const factors = {
  hasPassword: true,
  providers: [],
  identities: [],
  authenticator: null,
  passkeys: [],
  recoveryCodes: null,
  freshUntil: daysFromNow(-1),
};

export const overview: ReleaseOverview = {
  state: 'watching',
  releaseMethod: 'inactivity',
  inactivityDays: 90,
  lastActivityAt: daysFromNow(-4),
  awayUntil: null,
  timeline: [
    { what: 'last_activity', at: daysFromNow(-4), isPast: true },
    { what: 'next_checkin', at: daysFromNow(26), isPast: false },
    { what: 'first_reminder', at: daysFromNow(41), isPast: false },
    { what: 'last_reminder', at: daysFromNow(76), isPast: false },
    { what: 'contacts_asked', at: daysFromNow(86), isPast: false },
    { what: 'automatic_delivery', at: daysFromNow(93), isPast: false },
  ],
  ready: true,
  problems: [],
  standing:
    'As things stand, we would write to you twice and then ask Priya and Tom. If there is no answer within 7 days, your 2 letters go.',
  contactNames: ['Priya', 'Tom'],
  toldNames: [],
  readyMessages: 2,
  readyLetters: 2,
  laterLetters: 0,
  deliveries: [],
  sent: { letters: 0, delivered: 0, opened: 0, lastAt: null },
  question: null,
  cameBack: null,
  quorum: 1,
  waitingDays: 0,
  answerDays: 7,
  isTexted: false,
};

type Sent = Pick<
  ReleaseOverview['deliveries'][number],
  'messageId' | 'title' | 'status' | 'deliveredAt' | 'accessedAt'
>;

/** Letters of a release as the overview states them. */
export function outcomeOf(letters: readonly Sent[]): Pick<ReleaseOverview, 'deliveries' | 'sent'> {
  const delivered = letters.flatMap(({ deliveredAt }) => deliveredAt ?? []);
  const opened = letters.filter(({ accessedAt }) => accessedAt !== null).length;
  return {
    deliveries: letters.map((letter) => ({ ...letter, recipient: 'Nell', hasOthers: false })),
    sent: { letters: letters.length, delivered: delivered.length, opened, lastAt: delivered.toSorted().at(-1) ?? null },
  };
}

/** Return of an owner after their contacts had been asked. */
export const cameBack: NonNullable<ReleaseOverview['cameBack']> = {
  at: daysFromNow(0),
  heardAt: daysFromNow(-92),
  isEarly: false,
  reminders: [daysFromNow(-47), daysFromNow(-12)],
  askedAt: daysFromNow(-2),
  askedNames: ['Priya', 'Tom'],
  askedByName: null,
  toldNames: ['Priya', 'Tom'],
  givenAddresses: [],
  aliveAnswers: [],
  letters: 2,
  next: { what: 'letters_go', at: daysFromNow(3) },
};

export function messageOf(changes: Partial<Message> = {}): Message {
  const email = changes.recipientEmail ?? 'nell@ashworth.example';
  return {
    id: idOf(10),
    title: 'For Nell',
    content: 'The blue tin has the photographs.',
    encryptedContent: null,
    recipientEmail: email,
    recipients: [{ name: null, relation: null, email, status: null, openedAt: null }],
    showRecipients: false,
    deliverOn: null,
    announceWait: false,
    position: 1,
    category: 'personal',
    status: 'ready',
    visibleToTrustedContact: false,
    hasAttachment: false,
    attachmentOriginalName: null,
    attachmentSize: null,
    attachmentMimeType: null,
    attachmentTranscript: null,
    enclosures: [],
    deliveredAt: null,
    createdAt: daysFromNow(-3),
    updatedAt: daysFromNow(-3),
    version: idOf(90),
    ...changes,
  };
}

export function contactOf(changes: Partial<TrustedContact> = {}): TrustedContact {
  return {
    id: idOf(20),
    name: 'Priya Shah',
    seesFirstWeeks: false,
    email: 'priya@post.example',
    phone: '07700 900456',
    relationship: 'Friend',
    isActive: true,
    isConfirmed: true,
    hasDeclined: false,
    confirmationSentAt: daysFromNow(-9),
    invitationLeavesAt: null,
    confirmedAt: daysFromNow(-8),
    word: null,
    createdAt: daysFromNow(-9),
    updatedAt: daysFromNow(-8),
    version: idOf(91),
    ...changes,
  };
}

/** The service as it answers Sam, whose vault has a little of everything. */
export function startVault(): Service {
  const service = startService();
  Object.assign(service.answers, {
    'GET /api/auth/user': ok(sam),
    'GET /api/dashboard/stats': ok(stats),
    'GET /api/plan-limits': ok(limits),
    'GET /api/release': ok(overview),
    'GET /api/user/second-factors': ok(factors),
    'GET /api/user/release-settings': ok({ releaseMethod: 'inactivity', inactivityDays: 90 }),
    'GET /api/billing': ok(billingOf()),
    'GET /api/messages': ok([messageOf()]),
    'GET /api/trusted-contacts': ok([contactOf()]),
  });
  answerLetters(service);
  service.answers['GET /api/messages/addresses'] = ok([]);
  service.answers['GET /api/user/writing-questions'] = ok({ isWanted: false, nextAt: null });
  return service;
}

/** Answers reads of pages and of single letters from the list of whole letters, and pages of documents from their list. */
export function answerLetters(service: Service): void {
  service.answerTo = (key, body) => {
    if (isOfDocuments(key)) {
      const all = service.answers['GET /api/documents'];
      return typeof all === 'object' && Array.isArray(all.body) ? ok(documentAnswer(all.body, key, body)) : all;
    }
    const whole = service.answers['GET /api/messages'];
    if (typeof whole !== 'object' || !Array.isArray(whole.body)) return isOfLetters(key) ? whole : undefined;
    const answer = letterAnswer(whole.body, key, body);
    return answer === undefined ? undefined : ok(answer);
  };
}

const isOfLetters = (key: string) =>
  /^(GET \/api\/messages\/(envelopes|summary|readers)|POST \/api\/messages\/search)/.test(key);

export function ok(body: unknown) {
  return { status: 200, body };
}

export function refused(status: number, message: string, more: Record<string, unknown> = {}) {
  return { status, body: { message, type: 'INTERNAL', ...more } };
}

const answerDelayMs = 60;

/** Holds every answer from now on until the returned function is called, so that a test sees what a page shows meanwhile. */
export function holdAnswers(): () => void {
  const quick = globalThis.fetch;
  const { promise: isAnswered, resolve } = Promise.withResolvers<void>();
  globalThis.fetch = async (...call) => {
    const [answer] = await Promise.all([quick(...call), isAnswered]);
    return answer;
  };
  return resolve;
}

/** Lets every answer take its time from now on, as a network does: a second press comes before the first answer. */
export function slowDown(delayMs = answerDelayMs): void {
  const quick = globalThis.fetch;
  globalThis.fetch = async (...call) => {
    const answer = quick(...call);
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    return answer;
  };
}
