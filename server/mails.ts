import type { notificationPolicies } from './schema/notifications.tables.ts';

type Recipient = 'owner' | 'contact' | 'reader' | 'operator' | 'trustee' | 'buyer' | 'complainant';

/** Names by which the operator's own notifier learns of a mail to an owner. */
export const noticeEvents = ['reminder', 'last-reminder', 'contacts-asked', 'notice', 'released'] as const;
export type NoticeEvent = (typeof noticeEvents)[number];

/** Events after which a mail would be wrong or pointless. One that has not left yet is then cancelled. */
export type MailEnd =
  | 'account disowned'
  | 'activity'
  | 'all letters opened'
  | 'another address used'
  | 'answered again'
  | 'contact declined'
  | 'contact removed'
  | 'deletion undone'
  | 'invited again'
  | 'letter opened'
  | 'mailbox proven'
  | 'notice withdrawn'
  | 'proposal ended'
  | 'reader answered'
  | 'release ended'
  | 'release stopped'
  | 'step taken'
  | 'stopped';

export type Patience = (typeof notificationPolicies)[number];

type ListedMail = {
  to: Recipient;
  /** Words for it on the page of failed mails. */
  called: string;
  /** Email by default. */
  by?: 'text' | 'email and text';
  /** Time of further tries, and the meaning of a refusal; see notifications.retry.rules.ts. `standard` by default. */
  patience?: Patience;
  /** A freeze of its owner, or of everything, keeps it. By default it leaves. */
  whileFrozen?: 'waits';
  endsWith?: readonly MailEnd[];
  /** Devices of its owner announce it, and the webhook by this name. */
  announcedAs?: NoticeEvent;
  /** Its reader has just requested it. A stranger can cause any number of refusals of it. */
  isRequested?: true;
  /** Its owner's export leaves it out: it follows from words of a reader, of which the writer learns nothing. */
  hiddenFromOwner?: true;
  /** An email in answer to it is recorded, and its sender learns once that it does not count. */
  recordsReplies?: true;
};

const account = { to: 'owner', called: 'About signing in or the account' } as const;
const deletion = { to: 'owner', called: 'About deletion or retention of the account' } as const;
const payment = { to: 'owner', called: 'About a payment' } as const;
const invitation = { to: 'contact', called: 'Invitation or notice to a contact' } as const;
const ofContact = { to: 'owner', called: 'Invitation or notice to a contact' } as const;
/** A contact who never reads it can't help the letter to arrive, so it is tried as long as the letter. */
const undelivered = { to: 'contact', called: 'About letters that were not delivered', patience: 'patient' } as const;
const untilEnd = { ...undelivered, endsWith: ['release ended'] } as const;
const ofRelease = { to: 'owner', called: 'Notice to the owner about a release' } as const;
/** Notices of the release core to an owner, with the button Check in. */
const notice = {
  ...ofRelease,
  endsWith: ['notice withdrawn'],
  recordsReplies: true,
  announcedAs: 'notice',
} as const;
const awaited = { ...notice, by: 'email and text', patience: 'owner-reminder' } as const;
/** News of a contact's press or a stranger's use of the form. It leads to the contacts, and its answers are not read. */
const ofForm = { ...ofRelease, patience: 'owner-reminder', announcedAs: 'notice' } as const;
/** Notices of the release core to a contact. A link exists once, so a mail that cannot go out today goes when it can. */
const contactNotice = {
  to: 'contact',
  called: 'Notice to a contact about a release',
  patience: 'patient',
  endsWith: ['notice withdrawn'],
} as const;
const toContact = { to: 'contact', called: 'Notice to a contact about a release' } as const;
const newAddress = { to: 'contact', called: 'Question to a contact about a new address', patience: 'patient' } as const;
const operator = { to: 'operator', called: 'Notice to the operator' } as const;

/** Every kind of mail and text that leaves. A kind begins with its feature, and stored rows keep it for ever. */
export const mails = {
  'accounts.verification': { ...account, called: 'Confirmation of an address', isRequested: true },
  'accounts.mailbox-proof': { ...account, isRequested: true },
  'accounts.address-taken': { ...account, isRequested: true },
  'accounts.reset': { ...account, called: 'Password reset', isRequested: true },
  'accounts.phone-code': { ...account, by: 'text' },
  'accounts.password-changed': account,
  'accounts.identity-refused': account,
  'accounts.identity-asked': account,
  'accounts.identity-linked': account,
  'accounts.way-removed': account,
  'accounts.second-factor': account,
  'accounts.recovery-code-used': account,
  'accounts.opened-for': account,

  'privacy.retention-notice': { ...deletion, patience: 'owner-reminder' },
  'privacy.deletion-requested': { ...deletion, patience: 'patient', endsWith: ['deletion undone'] },
  'privacy.account-restored': deletion,

  'admin.bulk-email': { to: 'owner', called: 'Bulk email', endsWith: ['stopped'] },
  'writing.question': { to: 'owner', called: 'Question of the month', endsWith: ['stopped'] },
  'messages.ready-changes': { to: 'owner', called: 'Daily notice of changes in ready messages' },
  'complaints.receipt': { to: 'complainant', called: 'Receipt for a complaint', isRequested: true },
  'rehearsal.copy': { to: 'owner', called: 'Copy from a rehearsal' },

  'billing.receipt': payment,
  'billing.refund': payment,
  'billing.plan': payment,
  'billing.waiting': { ...payment, to: 'buyer' },
  'billing.voucher-waits': { ...payment, to: 'buyer' },
  'billing.voucher-spent': payment,
  'billing.past-due': payment,
  'billing.lapsed': payment,
  'billing.ended': payment,
  'billing.cancelled': payment,
  'billing.left': payment,
  'billing.released': payment,
  'billing.goes-on': payment,
  'billing.refused-change': payment,
  'billing.superseded': payment,

  'contacts.invitation': { ...invitation, endsWith: ['invited again', 'contact removed', 'account disowned'] },
  'contacts.kept': { ...invitation, endsWith: ['contact declined', 'contact removed'] },
  'contacts.mistake': invitation,
  'contacts.own-trusteeship': invitation,
  'contacts.trustee-waits': { ...invitation, to: 'trustee', endsWith: ['mailbox proven'] },
  'contacts.trustee-began': ofContact,
  'contacts.accepted': { ...ofContact, endsWith: ['answered again'] },
  'contacts.declined': { ...ofContact, endsWith: ['answered again'] },
  'contacts.unreachable': ofContact,

  // Mails that a stopped release cancels bring letters or their link. Their subject is `mail_id` of the letters.
  'delivery.letter': {
    to: 'reader',
    called: 'A letter',
    patience: 'patient',
    whileFrozen: 'waits',
    endsWith: ['letter opened', 'another address used', 'release stopped'],
  },
  'delivery.reminder': {
    to: 'reader',
    called: 'A letter, sent again because it was not opened',
    patience: 'link-again',
    whileFrozen: 'waits',
    endsWith: ['all letters opened', 'reader answered', 'release stopped'],
    hiddenFromOwner: true,
  },
  'delivery.renewal': {
    to: 'reader',
    called: 'A new link to a letter',
    patience: 'link-again',
    whileFrozen: 'waits',
    endsWith: ['release stopped'],
    hiddenFromOwner: true,
  },
  'delivery.returned': { to: 'reader', called: 'To a recipient: the owner is back', patience: 'patient' },
  'delivery.unreachable': untilEnd,
  'delivery.never-opened': { ...untilEnd, hiddenFromOwner: true },
  'delivery.held-back': untilEnd,
  'delivery.reader-declined': { ...untilEnd, called: 'A reader wants no more letters now', hiddenFromOwner: true },
  'delivery.arrived-late': undelivered,
  'delivery.owner-arrived-late': { to: 'owner', called: undelivered.called },
  'delivery.owner-unreachable': { to: 'owner', called: undelivered.called },

  'release.nudge': {
    to: 'owner',
    called: 'Check-in question to the owner',
    endsWith: ['activity'],
    recordsReplies: true,
    announcedAs: 'reminder',
  },
  'release.first_reminder': { ...awaited, called: 'First reminder to the owner', announcedAs: 'reminder' },
  'release.last_reminder': { ...awaited, called: 'Last reminder to the owner', announcedAs: 'last-reminder' },
  'release.owner_asked': { ...awaited, announcedAs: 'contacts-asked' },
  'release.owner_early': awaited,
  'release.owner_pressed': awaited,
  'release.owner_another': awaited,
  'release.owner_fewer_contacts': awaited,
  'release.owner_delayed': awaited,
  'release.owner_paused': awaited,
  'release.owner_alive_again': awaited,
  'release.owner_holding': awaited,
  'release.owner_holding_on': awaited,
  'release.owner_ended': awaited,
  'release.owner_releasing': { ...awaited, announcedAs: 'released' },
  'release.owner_letters_wait': awaited,
  'release.owner_question': notice,
  'release.owner_not_owner': notice,
  'release.owner_welcome_back': { ...ofRelease, endsWith: ['notice withdrawn'] },
  'release.owner_halted': ofRelease,
  'release.owner_restored': { ...ofForm, by: 'email and text', recordsReplies: true },
  'release.owner_claim': { ...ofForm, by: 'email and text' },
  'release.owner_form_uses': ofRelease,
  'release.asker_removed': ofForm,
  'release.former_phone': { ...ofRelease, patience: 'owner-reminder', by: 'text' },
  'release.owner_reply': ofRelease,
  'release.owner-new-address': ofRelease,
  'release.owner-freeze': ofRelease,
  'release.early-review': ofRelease,
  'release.other-address': {
    to: 'owner',
    called: 'To another address of a silent owner, given by a contact',
    whileFrozen: 'waits',
    endsWith: ['step taken'],
  },

  'release.contact_asked': {
    ...contactNotice,
    called: 'Question to a contact',
    by: 'email and text',
    whileFrozen: 'waits',
    recordsReplies: true,
  },
  'release.contact_confirmed': contactNotice,
  'release.contact_paused': contactNotice,
  'release.contact_alive_again': contactNotice,
  'release.contact_delayed': contactNotice,
  'release.contact_ended': contactNotice,
  'release.contact_question': contactNotice,
  'release.contact_not_owner': contactNotice,
  'release.contact_released': contactNotice,
  'release.contact_left': contactNotice,
  'release.contact_closed': contactNotice,
  'release.contact_stopped': contactNotice,
  'release.contact_reply': toContact,
  'release.contact_early_review': toContact,
  'release.request-refused': { to: 'contact', called: 'Answer to the emergency form' },
  'release.new-address': { ...newAddress, whileFrozen: 'waits', endsWith: ['proposal ended', 'release ended'] },
  'release.address-again': newAddress,

  'operator.breaker': operator,
  'operator.foreseen': operator,
  'operator.untold-owner': operator,
  'operator.nobody-to-ask': operator,
  'operator.late-bounce': operator,
  'operator.early-review': operator,
  'operator.mailbox-held': operator,
  'operator.address-to-decide': operator,
  'operator.address-review': operator,
  'operator.complaint': operator,
  'operator.integrity': operator,
  'operator.audit-anchor': operator,
  'operator.mail-check': operator,
  'operator.mail-refused': operator,
  'operator.unread-mail': operator,
} as const satisfies Readonly<Record<string, ListedMail>>;

export type MailKind = keyof typeof mails;

const listed: Readonly<Record<MailKind, ListedMail>> = mails;
const kinds = Object.keys(mails) as MailKind[];

const usual = { by: 'email', patience: 'standard', whileFrozen: 'leaves', endsWith: [] as readonly MailEnd[] } as const;

/** Every mail with its defaults, in the order of the list. */
export const allMails = kinds.map((kind) => ({ kind, ...usual, ...listed[kind] }));

/** Null for a mail that is announced by no further channel. */
export function eventOf(kind: MailKind): NoticeEvent | null {
  return listed[kind].announcedAs ?? null;
}

/** Patience is written with each row, so that a changed list changes no mail that waits. */
export function patienceOf(kind: MailKind): Patience {
  return listed[kind].patience ?? usual.patience;
}

export function kindsWhere(fits: (mail: ListedMail, kind: MailKind) => boolean): MailKind[] {
  return kinds.filter((kind) => fits(listed[kind], kind));
}

export function kindsEndedBy(end: MailEnd): MailKind[] {
  return kindsWhere(({ endsWith }) => endsWith?.includes(end) ?? false);
}

/** Kinds that stay while everything is frozen, or the owner whom they are about. */
export const frozenKinds: readonly MailKind[] = kindsWhere(({ whileFrozen }) => whileFrozen === 'waits');

/** Words for a stored kind, which may be one of an earlier version. */
export function wordsOfKind(kind: string): string {
  return Object.hasOwn(mails, kind) ? listed[kind as MailKind].called : 'Another email';
}

export const kindsHiddenFromOwner: readonly MailKind[] = kindsWhere(({ hiddenFromOwner }) => hiddenFromOwner === true);
