import type { getAuthUser, getUser, logout } from '#shared/contract/accounts.ts';
import type { answerInvitation, getInvitation } from '#shared/contract/contacts.ts';
import type {
  downloadDeliveredAttachment,
  getDeliveredMessage,
  renewDelivery,
} from '#shared/contract/letters/delivery.ts';
import type { getDeliveredEnclosure } from '#shared/contract/letters/enclosures.ts';
import type { copyDeliveredLetter } from '#shared/contract/letters/keepsake.ts';
import type { getNewsChoice, setNewsChoice } from '#shared/contract/news.ts';
import type { getNotMe, sayNotMe } from '#shared/contract/not-me.ts';
import type {
  confirmRelease,
  downloadPortalDocument,
  getPortal,
  sayNotAsked,
  takeBackConfirmation,
} from '#shared/contract/release/portal.ts';
import type { checkInByLink, getCheckInLink, getRelease } from '#shared/contract/release/release.ts';
import type { Route } from '#shared/contract/route.ts';

/**
 * Routes by their method and address alone, for what must not wait for the schemas that a contract brings along: a letter and
 * the questions behind links, and whatever comes before the first page. They have the types of their contract, which let no other address be
 * written here, and this is the only file of the web that writes addresses of the API.
 */
export const light = {
  getAuthUser: lightRoute<typeof getAuthUser>('GET', '/api/auth/user'),
  getUser: lightRoute<typeof getUser>('GET', '/api/user'),
  logout: lightRoute<typeof logout>('POST', '/api/logout'),
  getRelease: lightRoute<typeof getRelease>('GET', '/api/release'),
  getDeliveredMessage: lightRoute<typeof getDeliveredMessage>('GET', '/api/message-delivery/:token'),
  renewDelivery: lightRoute<typeof renewDelivery>('POST', '/api/message-delivery/:token/renew'),
  downloadDeliveredAttachment: lightRoute<typeof downloadDeliveredAttachment>(
    'GET',
    '/api/message-delivery/:token/attachment',
  ),
  copyDeliveredLetter: lightRoute<typeof copyDeliveredLetter>('GET', '/api/message-delivery/:token/copy'),
  getDeliveredEnclosure: lightRoute<typeof getDeliveredEnclosure>(
    'GET',
    '/api/message-delivery/:token/enclosures/:enclosureId',
  ),
  getPortal: lightRoute<typeof getPortal>('GET', '/api/trusted-contact-admin/:token'),
  confirmRelease: lightRoute<typeof confirmRelease>('POST', '/api/trusted-contact-admin/:token/confirm-release'),
  sayNotAsked: lightRoute<typeof sayNotAsked>('POST', '/api/trusted-contact-admin/:token/not-asked'),
  takeBackConfirmation: lightRoute<typeof takeBackConfirmation>('POST', '/api/trusted-contact-admin/:token/take-back'),
  downloadPortalDocument: lightRoute<typeof downloadPortalDocument>(
    'GET',
    '/api/trusted-contact-admin/:token/documents/:id',
  ),
  getCheckInLink: lightRoute<typeof getCheckInLink>('GET', '/api/check-in/:token'),
  checkInByLink: lightRoute<typeof checkInByLink>('POST', '/api/check-in/:token'),
  getInvitation: lightRoute<typeof getInvitation>('GET', '/api/trusted-contact-invitation/:token'),
  answerInvitation: lightRoute<typeof answerInvitation>('POST', '/api/trusted-contact-invitation/:token'),
  getNotMe: lightRoute<typeof getNotMe>('GET', '/api/not-me/:token'),
  sayNotMe: lightRoute<typeof sayNotMe>('POST', '/api/not-me/:token'),
  getNewsChoice: lightRoute<typeof getNewsChoice>('GET', '/api/news/:token'),
  setNewsChoice: lightRoute<typeof setNewsChoice>('POST', '/api/news/:token'),
};

function lightRoute<R extends Route>(method: R['method'], path: R['path']): R {
  return { method, path } as R;
}
