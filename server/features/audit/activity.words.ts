import type { ActivityKind } from '#shared/contract/activity.ts';
import { providerNameFrom } from '#shared/rules/identity-providers.ts';

type Details = Record<string, unknown> | null;
type Words = string | ((details: Record<string, unknown>) => string);

/** What each action of the log is about, and how it is told to the owner whose log it stands in. */
const wordsByKind: Record<Exclude<ActivityKind, 'other'>, Record<string, Words>> = {
  'sign-in': {
    'session.start': ({ method, secondFactor }) => signInWords(String(method), secondFactor),
    'session.end': 'A device was signed out',
    'session.end_others': 'All other devices were signed out',
    'session.confirm': ({ method }) => confirmWords(String(method)),
    'session.factor_refused': 'Someone typed your password, but failed the second step',
    'account.reset_request': 'A link for a new password was requested',
    'account.reset': 'Your password was replaced with a link sent by email',
    'account.password_change': 'You changed your password',
    'account.link': ({ provider }) => `Your account was linked with ${providerNameFrom(String(provider))}`,
    'account.link_asked': ({ provider }) =>
      `You were asked by email whether ${providerNameFrom(String(provider))} may open your account`,
    'account.link_refused': ({ provider, by }) => refusedWords(providerNameFrom(String(provider)), by),
    'account.unlink': ({ provider, by }) => unlinkedWords(providerNameFrom(String(provider)), by),
    'account.password_set': 'You set a password',
    'account.password_remove': 'You removed your password',
    'factor.add': ({ factor }) => `You added ${factorWords(factor)}`,
    'factor.remove': ({ factor }) => `You removed ${factorWords(factor)}`,
    'factor.codes_renewed': 'You made new recovery codes',
    'factor.code_used': 'A recovery code was used to sign in',
  },
  account: {
    'account.register': 'Your account was opened',
    'account.verify': 'Your email address was confirmed',
    'account.handed_over': 'The reader of this mailbox took over the account, with an empty vault',
    'account.mailbox_proven': 'You showed that the mailbox of this account is yours',
    'account.verified-by-operator': 'The operator of this service confirmed your email address',
    'account.phone': 'You changed your phone number',
    'account.phone_proven': 'You showed that your phone number is yours',
    'account.safety_settings': 'You saved your safety settings',
    'account.deletion_requested': 'The deletion of your account was requested',
    'account.restored': 'The deletion of your account was undone',
    'account.erased': 'Your account was erased',
    'export.create': 'You exported your data',
    'import.create': ({ by }) =>
      `${by === 'operator' ? 'The operator of this service' : 'You'} imported an export into your vault`,
    'retention.notified': 'We emailed you about data that will be deleted soon',
    'retention.records_removed': 'Records were deleted at the end of their storage time',
    'retention.audit_pruned': 'Entries of this log were deleted at the end of their storage time',
    'integrity.checked': 'Everything stored was opened and checked',
    'integrity.broken': 'Stored data was found damaged, and we told the operator',
    'admin.user_create': 'An account was created by the administrator',
    'admin.user_update': 'The administrator changed the plan, the role or the confirmation of an account',
    'admin.user_verify': 'The administrator confirmed an email address',
    'admin.user_delete': 'The administrator asked for an account to be deleted',
    'admin.mail_retry': 'The administrator retried an email',
    'admin.letters_retry': 'The administrator retried letters that mail servers had refused',
    'admin.bulk_email': 'You emailed users',
    'admin.bulk_email_cancel': 'You stopped an email to users',
    'admin.bulk_email_refuse': 'An email to users was not sent, since one address belonged to no account',
    'admin.complaint_close': 'You noted that a complaint was answered',
    'complaint.receive': 'You complained to us about how personal data is used',
    'message.address_confirm': 'You confirmed that an address is still right',
    'account.news_stop': 'You stopped our news',
    'account.news_begin': 'You asked for our news again',
    'account.questions_begin': 'You asked for a question each month',
    'account.questions_stop': 'You stopped the monthly questions',
    'account.push_begin': 'You asked for reminders on the screen of a device',
    'account.push_stop': 'You stopped the reminders on the screen of a device',
    'admin.user_restore': 'The administrator restored an account that was to be deleted',
    'keys.rotated': 'The key that protects your vault was changed by the operator of this service',
  },
  vault: {
    'message.create': 'You wrote a message',
    'message.update': 'You changed a message',
    'message.delete': 'You deleted a message',
    'message.restore': 'You restored a message that you had deleted',
    'message.forget': 'You deleted a message for good',
    'message.expired': 'A message was deleted at the end of its storage time',
    'message.enclose': 'You put a picture or a voice into a message',
    'message.enclosure_change': 'You changed a picture or a voice of a message',
    'message.enclosure_remove': 'You took a picture or a voice out of a message',
    'enclosure.expired': 'A picture or a voice of a message was deleted at the end of its storage time',
    'attachment.expired': 'The attachment of a message was deleted at the end of its storage time',
    'document.create': 'You added a document',
    'document.update': 'You changed a document',
    'document.delete': 'You deleted a document',
    'document.restore': 'You restored a document that you had deleted',
    'first_weeks.update': 'You changed your page for the first weeks',
    'document.forget': 'You deleted a document for good',
    'document.expired': 'A document was deleted at the end of its storage time',
  },
  contacts: {
    'contact.create': 'You added a trusted contact',
    'contact.update': ({ seesFirstWeeks }) => changedContactWords(seesFirstWeeks),
    'contact.delete': 'You removed a trusted contact',
    'contact.delete_by_link': 'A trusted contact was removed by the link in an email to you',
    'contact.restore': 'You restored a trusted contact whom you had removed',
    'contact.forget': 'You removed a trusted contact for good',
    'contact.invite': 'You sent an invitation again',
    'contact.accept': 'A trusted contact said yes',
    'contact.decline': 'A trusted contact said no',
    'contact.trustee_began': 'A trusted contact became your trustee, with an account of their own',
  },
  release: {
    'user.checked_in': 'You checked in',
    'user.checked_in_by_email': 'You checked in with a link from an email',
    'user.checked_in_by_sms': 'You checked in by text message',
    'user.checked_in_by_text': 'You checked in by answering a text message',
    'release.user': 'The operator paused or resumed your releases',
    'release.settings_changed': 'You changed your release settings',
    'release.preferences_changed': 'You changed how a release is confirmed',
    'release.away_changed': 'You said how long you are away, or that you are back',
    'release.stopped': 'You stopped a release',
    'release.returned': 'You came back, so the release ended',
    'release.account_closing': 'A release ended, since the account is to be deleted',
    'release.rehearsed': 'You rehearsed a release: copies of your letters were sent to you alone',
    'release.nudge': 'We reminded you that nothing can be released yet',
    'release.first_reminder': 'We sent you a reminder, since we had not heard from you',
    'release.first_reminder_accepted': 'Our reminder reached your mailbox',
    'release.first_reminder_failed': 'Our reminder could not be delivered to you',
    'release.first_reminder_came_back': 'Our reminder came back undelivered, and is sent again',
    'release.last_reminder': 'We sent you the last reminder before asking your trusted contacts',
    'release.last_reminder_accepted': 'Our last reminder reached your mailbox',
    'release.last_reminder_failed': 'Our last reminder could not be delivered to you',
    'release.last_reminder_came_back': 'Our last reminder came back undelivered, and is sent again',
    'release.withdraw_reminder': 'We cancelled our last reminder before it was sent, and write it again',
    'release.ask': 'We asked your trusted contacts what they know',
    'release.contact_asked': 'We asked a trusted contact what they know',
    'release.answered_by_email': 'A reply to one of our emails came. It is not a check-in, and not an answer',
    'release.asked_again': 'We asked a trusted contact again, since they had not answered',
    'release.contact_asked_accepted': 'Our question reached a trusted contact',
    'release.contact_asked_failed': 'Our question could not be delivered to a trusted contact',
    'release.contact_asked_came_back': 'Our question to a trusted contact came back',
    'release.owner_asked_accepted': 'The notice that we asked your trusted contacts reached your mailbox',
    'release.owner_asked_failed': 'The notice that we asked your trusted contacts could not be delivered to you',
    'release.owner_asked_came_back': 'The notice that we asked your trusted contacts came back, and is sent again',
    'release.letters_held': 'Unsent messages wait for you, since we restored the service from a backup',
    'release.letters_let_go': 'Messages that waited after a backup was restored are sent',
    'release.restored': 'We restored the service from a backup and told you. Every waiting time started again',
    'release.hold': 'Enough trusted contacts confirmed, so your waiting time began. Nothing is sent before it ends',
    'release.unhold': 'Your waiting time ended, since not enough trusted contacts confirm any more',
    'release.owner_holding_accepted': 'The notice of your waiting time reached your mailbox',
    'release.owner_holding_failed': 'The notice of your waiting time could not be delivered to you',
    'release.owner_holding_came_back':
      'The notice of your waiting time came back, so the time starts again with the next notice',
    'release.confirmed': 'A trusted contact confirmed the release',
    'release.yes_taken_back': 'A trusted contact withdrew their confirmation of the release',
    'release.cancelled': 'A trusted contact cancelled the release',
    'release.said_alive': 'A trusted contact told us that you are alive and can’t answer',
    'release.asked_for_news': 'We asked a trusted contact for news of you, since they told us that you are alive',
    'release.paused': 'The release was paused for 30 days, since a trusted contact stopped it',
    'release.contact_stepped_down': 'A trusted contact whom we had asked left the role',
    'release.contacts_fewer': 'We told you that too few trusted contacts are left to confirm a release',
    'release.needed_lowered': 'A release now needs fewer confirmations, so the remaining trusted contacts are enough',
    'release.resume': 'The pause ended, so we ask your trusted contacts again',
    'release.request_ended': ({ why }) =>
      why === 'begun_anew'
        ? 'A request to release your messages ended, since we restored the service from a backup'
        : 'A request to release your messages ended, and nothing was sent',
    'release.release': 'The release of your messages began',
    'release.release_undone': 'The release of your messages was undone before anything was sent',
    'release.released': 'The release of your messages was completed',
    'release.frozen': 'Releases were paused by the service',
    'release.clock_accepted': 'The operator confirmed the time, after the clock of the service had been ahead',
    'release.resumed': 'Releases continued after a pause of the service',
    'release.emergency_requested': 'A trusted contact asked for an emergency release',
    'release.emergency_ignored': 'A request for an emergency release had no effect',
    'release.early_review': 'An early release waits for a review by the operator',
    'release.early_review_ended': 'An early release continues after a review by the operator',
    'release.mailbox_held': 'A trusted contact’s confirmation waits for a review by the operator',
    'release.mailbox_let_go': 'A trusted contact’s confirmation counts, after a review by the operator',
    'release.silence_stopped': 'Releases by silence were stopped for a review by the operator',
    'release.silence_expected': 'The operator checked this release in advance, so it continues when it is due',
    'release.signed_in_after_delivery': 'Someone signed in after letters were sent, so we asked who it was',
    'release.signed_in_by_another': 'The person who signed in after letters were sent said that they are not you',
    'release.left_as_it_is': 'You came back, and left the delivery as it was',
    'release.question_unanswered': 'We got no answer about who had signed in, so the release continued',
    'release.owner_answered': 'We got an answer about who had signed in after letters were sent',
    'release.trustee_pressed': 'A trustee asked for the release of your messages',
    'release.other_address_given':
      'Your emails came back, and a trusted contact gave us another email address of yours',
    'release.address_proposed': 'A trusted contact proposed another address for a recipient we could not reach',
    'release.address_unanswered':
      'The address that a trusted contact proposed was accepted, since no other contact answered',
    'release.address_agreed': 'The address that a trusted contact proposed was accepted',
    'release.address_operator_agreed':
      'The operator of this service accepted the address that a trusted contact proposed',
    'release.address_tried_again':
      'A trusted contact said that an address is right, so the message is sent there again',
    'release.address_under_review': 'A message to another address waits until the operator has reviewed this release',
    'release.address_refused': 'A trusted contact refused an address that another contact had proposed',
    'release.address_taken_back': 'A trusted contact withdrew a proposed address',
    'delivery.stopped': 'Letters that were being sent were stopped',
    'delivery.created': 'A message was made ready for its recipient',
    'delivery.day_came': 'Letters with a day of their own were sent on that day',
    'delivery.cancelled': 'A letter was withdrawn before it was sent',
    'delivery.accepted': 'A message was delivered to its recipient’s mailbox',
    'delivery.bounced': 'A message could not be delivered to its recipient',
    'delivery.refused': 'A recipient’s mail server refused a message, and we keep trying',
    'delivery.came_back': 'A message came back from its recipient’s mail server',
    'delivery.redirected': 'A message was sent to another address of its recipient',
    'delivery.withdrawn': 'The delivery of a message was withdrawn',
    'delivery.never_opened': 'A message was not opened in its 30 days, so we asked your contacts for another address',
    'delivery.opened': 'A recipient opened a message',
    'delivery.held_back': 'A message was damaged and was not sent with the others. We told your contacts',
    'delivery.reminded': 'A recipient was reminded of a message',
    'reader.said': 'A reader told us if letters may come, or how long to keep one',
    'delivery.renewed': 'A recipient was sent a new link to a message',
  },
  money: {
    'checkout.begin': 'A payment was begun',
    'plan.change': 'Your plan changed',
    'payment.receive': 'A payment was received',
    'payment.change': 'A payment was changed by the payment service',
    'payment.refuse': 'A payment notice did not match your order, and was ignored',
    'payment.unknown': 'A payment could not be matched to an order',
    'payment.give-up': 'A payment notice could not be processed',
    'subscription.claim': 'A plan that was paid for earlier was added to your account',
    'subscription.status': 'The state of your subscription changed',
    'subscription.cancel': 'You cancelled your subscription',
    'subscription.resume': 'You undid the cancellation of your subscription',
    'subscription.release': 'Your messages were delivered, so your plan does not renew',
    'subscription.return': 'You came back, so your plan renews again',
    'subscription.leave': 'Your subscription was ended at the payment service',
    'subscription.supersede': 'A newer purchase took the place of an older one',
    'subscription.change-card': 'You asked to change your card',
    'voucher.use': 'A voucher was used',
    'voucher.return': 'A voucher was returned, since its plan change was not made',
    'voucher.refuse': 'A plan change was not made, since its voucher was used up',
    'voucher.overuse': 'A voucher was accepted although it was used up',
    'voucher.create': 'A voucher was created by the operator',
    'voucher.disable': 'A voucher was ended by the operator',
  },
};

type Known = { kind: ActivityKind; words: Words };
const known = new Map<string, Known>(
  Object.entries(wordsByKind).flatMap(([kind, actions]) =>
    Object.entries(actions).map(([action, words]): [string, Known] => [action, { kind: kind as ActivityKind, words }]),
  ),
);

/** Actions that have words of their own. */
export const toldActions: ReadonlySet<string> = new Set(known.keys());

/** The actions of a kind; `other` has none of its own, it is whatever has no words. */
export function actionsOf(kind: ActivityKind): string[] {
  return [...known].filter(([, each]) => each.kind === kind).map(([action]) => action);
}

/** An entry of the log in plain words. What a newer version has written is told as far as it can be. */
export function tellActivity(action: string, details: Details): { kind: ActivityKind; words: string } {
  const found = known.get(action);
  if (!found) return { kind: 'other', words: 'Something else happened in your account' };
  const { kind, words } = found;
  return { kind, words: typeof words === 'string' ? words : words(details ?? {}) };
}

function signInWords(method: string, secondFactor: unknown): string {
  if (method === 'passkey') return 'You signed in with a passkey';
  const provider = providerOf(method);
  const first = provider ? `You signed in with ${provider}` : 'You signed in';
  if (secondFactor === 'passkey') return `${first} and a passkey`;
  if (secondFactor === 'authenticator') return `${first} and a code from your authenticator app`;
  return secondFactor === 'recovery' ? `${first} and a recovery code` : first;
}

function refusedWords(provider: string, by: unknown): string {
  if (by === 'not-me') return `A reader of your mailbox said that a sign-in with ${provider} was not you`;
  return `A sign-in with ${provider} was refused, since it has not verified the address there`;
}

function unlinkedWords(provider: string, by: unknown): string {
  if (by === 'reset') return `A new password by email removed the link with ${provider}`;
  if (by === 'not-me')
    return `The link with ${provider} was removed by “This was not me”, and every device was signed out`;
  if (by === 'operator') return `The operator of this service removed the link with ${provider}`;
  return `You removed the link with ${provider}`;
}

function confirmWords(method: string): string {
  if (method === 'password') return 'You confirmed your password';
  if (method === 'password-and-code') return 'You confirmed your password and a code from your app';
  return `You confirmed with ${providerOf(method) ?? 'a passkey'} that it was you`;
}

/** The name of an identity provider, as a sign-in with one is written down; null for any other way. */
function providerOf(method: string): string | null {
  const slug = /^provider:(.+)$/.exec(method)?.[1];
  return slug === undefined ? null : providerNameFrom(slug);
}

function changedContactWords(seesFirstWeeks: unknown): string {
  const words = 'You changed a trusted contact';
  if (seesFirstWeeks === true) return `${words}, who now sees your page for the first weeks`;
  return seesFirstWeeks === false ? `${words}, who no longer sees your page for the first weeks` : words;
}

function factorWords(factor: unknown): string {
  return factor === 'passkey' ? 'a passkey' : 'an authenticator app';
}
