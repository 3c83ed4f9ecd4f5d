import { html, isolate, letter, type Markup } from '#server/platform/mail/letter.ts';
import { productName } from '#shared/product.ts';
import type { Claim } from './release-scene.ts';

/** A mail as the notifications take it. */
export type Mail = { subject: string; html: string; text: string };

/** The owner, and where their mails lead. */
export type ToOwner = {
  firstName: string;
  baseUrl: string;
  lastActivityAt: Date;
  silentDays: number;
  /** First names of those who are, or would be, asked. */
  contactNames: readonly string[];
};

/** A gentle nudge: courtesy only, nothing follows from it. */
export function nudgeEmail(owner: ToOwner & { checkInUrl: string }): Mail {
  return ownerMail(owner, {
    subject: `Is all well, ${owner.firstName}?`,
    paragraphs: [
      html`It has been ${owner.silentDays} days since you were last here. Press Check in to tell us all is well.`,
      html`Nothing happens if you leave this for now. We will write again before we ask anybody.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

export function firstReminderEmail(
  owner: ToOwner & { checkInUrl: string; lastReminderAt: Date; askAt: Date; readyMessages: number },
): Mail {
  return ownerMail(owner, {
    subject: `${owner.firstName}, we have not heard from you for ${owner.silentDays} days`,
    paragraphs: [
      html`We last heard from you on ${longDate(owner.lastActivityAt)}. Press Check in to tell us all is well.`,
      html`If we hear nothing, we will write once more on ${longDate(owner.lastReminderAt)}. ${whatFollows(owner)}`,
      readyLine(owner.readyMessages),
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

export function lastReminderEmail(owner: ToOwner & { checkInUrl: string; askAt: Date; readyMessages: number }): Mail {
  const whom = owner.contactNames.length > 0 ? `or we will ask ${joinNames(owner.contactNames)}` : 'please';
  return ownerMail(owner, {
    subject: `Check in before ${longDate(owner.askAt)}, ${whom}`,
    paragraphs: [
      html`We have not heard from you for ${owner.silentDays} days. This is our last reminder.`,
      html`${whatFollows(owner)} One press on Check in stops all of it.`,
      readyLine(owner.readyMessages),
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

/** The contacts have been asked, or there was nobody to ask. `deliverAt` is null where people alone decide. */
export function ownerAskedEmail(owner: ToOwner & { checkInUrl: string; deliverAt: Date | null }): Mail {
  const { contactNames, deliverAt } = owner;
  const names = joinNames(contactNames);
  const asked =
    contactNames.length > 0
      ? html`We have not heard from you for ${owner.silentDays} days, so we have asked ${isolate(names)} whether you are all right.`
      : html`We have not heard from you for ${owner.silentDays} days. You have no confirmed trusted contact whom we could ask.`;
  const next = deliverAt
    ? html`If we hear nothing from anybody, your messages will be delivered from ${longDate(deliverAt)}.`
    : html`Your messages will be delivered only when enough of them confirm that you have died or cannot act.`;
  return ownerMail(owner, {
    subject: contactNames.length > 0 ? `We have asked ${names} about you` : 'Your messages will be delivered soon',
    paragraphs: [
      asked,
      next,
      html`Press Check in and everything stops. Nothing has been sent to the people you wrote to.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

/** Somebody says that the owner cannot act, long before silence would have said so. */
export function ownerEarlyEmail(
  owner: ToOwner & { checkInUrl: string; cause: 'emergency' | 'trustee'; claim?: Claim },
): Mail {
  const what =
    owner.cause === 'emergency'
      ? html`Somebody asked us to release your messages early. They named one of your trusted contacts, who now has a link to confirm or cancel.`
      : html`One of your trusted contacts has pressed release in their account. They say that you have died or cannot act.`;
  return ownerMail(owner, {
    subject: `${owner.firstName}, somebody asked for your messages to be released`,
    paragraphs: [
      what,
      ...(owner.claim ? claimLines(owner.claim) : []),
      html`If you are well, press Check in. It stops everything at once, and your contacts are told.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

/** The emergency form was used in the name of a contact, and nothing came of it. `why` is a whole sentence. */
export function ownerClaimEmail(owner: { firstName: string; baseUrl: string; claim: Claim; why: string }): Mail {
  return ownerMail(owner, {
    subject: `${owner.firstName}, somebody used the emergency form`,
    paragraphs: [
      html`Somebody asked us to release your messages early, and gave the address of one of your trusted contacts. ${owner.why}`,
      ...claimLines(owner.claim),
      html`If this worries you, sign in and look at your trusted contacts. Signing in also tells us that you are well.`,
    ],
    action: { label: 'See your trusted contacts', url: `${owner.baseUrl}/contacts` },
  });
}

/** Anybody can fill in the form, so its words are quoted, and said to be nobody's we know. */
function claimLines({ name, reason }: Claim): Markup[] {
  return [
    html`They gave the name ${isolate(name)} and this reason: “${isolate(reason)}”`,
    html`We have not checked the name. Do not follow a link or call a number in the reason.`,
  ];
}

export function ownerPausedEmail(owner: ToOwner & { checkInUrl: string }): Mail {
  return ownerMail(owner, {
    subject: `${owner.firstName}, please log in now`,
    paragraphs: [
      html`One of your trusted contacts told us that you are well, and stopped the release of your messages. Nothing was sent.`,
      html`Please log in, or press Check in. If we hear nothing from you for 30 days, we will ask your contacts again.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

export function ownerHoldingEmail(owner: ToOwner & { checkInUrl: string; waitingDays: number }): Mail {
  const { waitingDays } = owner;
  return ownerMail(owner, {
    subject: `Your messages will be delivered in ${waitingDays} ${waitingDays === 1 ? 'day' : 'days'}, unless you check in`,
    paragraphs: [
      html`Your trusted contacts have confirmed that your messages should be released. You asked us to wait ${waitingDays} ${waitingDays === 1 ? 'day' : 'days'} first. That time begins now.`,
      html`If you are well, press Check in. It stops everything, and your contacts are told.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

export function ownerReleasingEmail(owner: ToOwner & { checkInUrl: string }): Mail {
  return ownerMail(owner, {
    subject: 'Your messages are being delivered',
    paragraphs: [
      html`Your messages are on their way to the people you wrote to.`,
      html`If you read this and did not want it, press Check in now. What has not been sent is stopped, and links that nobody has opened stop working.`,
    ],
    action: { label: 'Check in', url: owner.checkInUrl },
  });
}

export function welcomeBackEmail(owner: ToOwner): Mail {
  const told =
    owner.contactNames.length > 0
      ? html` We have told ${isolate(joinNames(owner.contactNames))} that you are well.`
      : '';
  return ownerMail(owner, {
    subject: 'Welcome back. Nothing was sent',
    paragraphs: [
      html`Welcome back. Nothing was sent.${told}`,
      html`You have nothing to do. The count of days begins again today.`,
    ],
    action: { label: 'See your vault', url: `${owner.baseUrl}/` },
  });
}

export type HaltCounts = { cancelled: number; withdrawn: number; opened: number; sent: number };

export function ownerHaltedEmail(owner: ToOwner & { counts: HaltCounts }): Mail {
  const { cancelled, withdrawn, opened, sent } = owner.counts;
  const lines =
    sent === 0
      ? [html`Welcome back. Nothing had been sent yet, and now nothing will be.`]
      : [
          html`Welcome back. When you came back, ${plural(sent, 'message')} had been sent. ${opened === 0 ? 'None was opened.' : html`Of these, ${plural(opened, 'message')} had been opened.`}`,
          html`We have stopped everything else: ${plural(cancelled, 'message')} will not be sent, and ${plural(withdrawn, 'unopened link')} no longer ${withdrawn === 1 ? 'works' : 'work'}.`,
        ];
  return ownerMail(owner, {
    subject: 'Welcome back. We have stopped the delivery',
    paragraphs: [...lines, html`Your vault shows which messages were opened, and by when.`],
    action: { label: 'See what was opened', url: `${owner.baseUrl}/` },
  });
}

type Content = { subject: string; paragraphs: Markup[]; action: { label: string; url: string } };

export function ownerMail(
  { firstName, baseUrl }: Pick<ToOwner, 'firstName' | 'baseUrl'>,
  { subject, paragraphs, action }: Content,
): Mail {
  const parts = letter({
    greeting: html`Hello ${isolate(firstName)},`,
    paragraphs,
    action,
    reason: `You get this because you keep messages with ${productName}, and your release settings ask us to look after you.`,
    baseUrl,
  });
  return { subject, ...parts };
}

function whatFollows({ askAt, contactNames }: ToOwner & { askAt: Date }): Markup {
  return contactNames.length > 0
    ? html`On ${longDate(askAt)} we will ask ${isolate(joinNames(contactNames))} whether you are all right.`
    : html`On ${longDate(askAt)} your period of silence ends. You have no confirmed trusted contact whom we could ask.`;
}

function readyLine(readyMessages: number): Markup {
  return readyMessages === 0
    ? html`None of your messages is marked as ready, so nothing would be delivered.`
    : html`You have ${plural(readyMessages, 'message')} ready to be delivered.`;
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** "Priya", "Priya and Tom", "Priya, Tom and Ann". */
export function joinNames(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}

const dateFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'Europe/London',
});

export function longDate(date: Date): string {
  return dateFormat.format(date);
}
