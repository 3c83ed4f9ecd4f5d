import { productName } from '#shared/product.ts';
import type { OwnerNotice } from './release-events.rules.ts';

type ToOwner = { firstName: string; silentDays: number; checkInUrl: string };

/** Short messages say who, why and what to press, and leave the rest to the mail. */
export function reminderText({ firstName, silentDays, checkInUrl }: ToOwner, which: 'first' | 'last'): string {
  const last = which === 'last' ? ' This is our last reminder.' : '';
  return `${productName}: ${firstName}, we have not heard from you for ${silentDays} days.${last} Check in: ${checkInUrl}`;
}

/** `null` where a mail is enough. */
export function noticeText({ firstName, checkInUrl }: ToOwner, about: OwnerNotice): string | null {
  const what = noticeWords[about];
  return what ? `${productName}: ${firstName}, ${what} If you are well, check in: ${checkInUrl}` : null;
}

const noticeWords: Record<OwnerNotice, string | null> = {
  asked: 'your period of silence is over and we are acting on your release settings.',
  emergency: 'somebody asked for your messages to be released early.',
  trustee: 'a trusted contact asked for your messages to be released.',
  paused: 'a trusted contact says you are well. Please log in now.',
  holding: 'your contacts confirmed the release. Your waiting period begins now.',
  releasing: 'your messages are being delivered.',
  welcome_back: null,
  halted: null,
};

export function askText(contact: { ownerName: string; portalUrl: string }): string {
  return `${productName}: you are a trusted contact of ${contact.ownerName}. Please tell us whether all is well: ${contact.portalUrl}`;
}

/** The emergency form was used, and nothing came of it. */
export function claimText({ firstName, baseUrl }: { firstName: string; baseUrl: string }): string {
  return `${productName}: ${firstName}, somebody used the emergency form for your messages. Nothing new has begun. We sent you an email about it. To see your contacts, sign in: ${baseUrl}/contacts`;
}
