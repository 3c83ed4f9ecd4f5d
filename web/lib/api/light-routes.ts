import type {
  completeResetPassword,
  getAuthUser,
  getUser,
  login,
  logout,
  reauthenticate,
  resendVerification,
  resetPassword,
} from '#shared/contract/accounts.ts';
import type { getBilling } from '#shared/contract/billing.ts';
import type { answerInvitation, getInvitation, listContacts } from '#shared/contract/contacts.ts';
import type { getDashboardStats, getPlanLimits } from '#shared/contract/dashboard.ts';
import type { getAuthProviders, startExternalSignIn } from '#shared/contract/identity.ts';
import type {
  downloadDeliveredAttachment,
  getDeliveredMessage,
  renewDelivery,
} from '#shared/contract/letters/delivery.ts';
import type { getDeliveredEnclosure } from '#shared/contract/letters/enclosures.ts';
import type { copyDeliveredLetter } from '#shared/contract/letters/keepsake.ts';
import type { getVerifiedAddress } from '#shared/contract/mailbox.ts';
import type { listMessages } from '#shared/contract/messages.ts';
import type { getNewsChoice, setNewsChoice } from '#shared/contract/news.ts';
import type { getNotMe, sayNotMe } from '#shared/contract/not-me.ts';
import type {
  confirmRelease,
  downloadPortalDocument,
  getPortal,
  sayNotAsked,
  takeBackConfirmation,
} from '#shared/contract/release/portal.ts';
import type {
  checkInByLink,
  checkin,
  dismissReturn,
  getCheckInLink,
  getRelease,
  getReleaseSettings,
  stopRelease,
  updateAway,
  updateReleasePreferences,
  updateReleaseSettings,
} from '#shared/contract/release/release.ts';
import type { Route } from '#shared/contract/route.ts';
import type {
  askLoginPasskey,
  askReauthenticationPasskey,
  getSecondFactors,
  getSecondStep,
  loginWithPasskey,
  reauthenticateWithPasskey,
} from '#shared/contract/second-factors.ts';

/**
 * Routes by their method and address alone, for what must not wait for the schemas that a contract brings along: a letter and
 * the questions behind links, sign-in, whatever comes before the first page, and the dashboard. They have the types of their contract, which let no other address be
 * written here, and this is the only file of the web that writes addresses of the API.
 */
export const light = {
  getAuthUser: lightRoute<typeof getAuthUser>('GET', '/api/auth/user'),
  getUser: lightRoute<typeof getUser>('GET', '/api/user'),
  login: lightRoute<typeof login>('POST', '/api/login'),
  resetPassword: lightRoute<typeof resetPassword>('POST', '/api/reset-password'),
  completeResetPassword: lightRoute<typeof completeResetPassword>('POST', '/api/reset-password/complete'),
  getVerifiedAddress: lightRoute<typeof getVerifiedAddress>('GET', '/api/login/verified-address'),
  getAuthProviders: lightRoute<typeof getAuthProviders>('GET', '/api/auth/providers'),
  askLoginPasskey: lightRoute<typeof askLoginPasskey>('POST', '/api/login/passkey/options'),
  loginWithPasskey: lightRoute<typeof loginWithPasskey>('POST', '/api/login/passkey'),
  getSecondStep: lightRoute<typeof getSecondStep>('GET', '/api/login/second-factor'),
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
  reauthenticate: lightRoute<typeof reauthenticate>('POST', '/api/user/reauthenticate'),
  startExternalSignIn: lightRoute<typeof startExternalSignIn>('GET', '/api/auth/:provider'),
  askReauthenticationPasskey: lightRoute<typeof askReauthenticationPasskey>(
    'POST',
    '/api/user/reauthenticate/passkey-options',
  ),
  getSecondFactors: lightRoute<typeof getSecondFactors>('GET', '/api/user/second-factors'),
  reauthenticateWithPasskey: lightRoute<typeof reauthenticateWithPasskey>('POST', '/api/user/reauthenticate/passkey'),
  resendVerification: lightRoute<typeof resendVerification>('POST', '/api/resend-verification'),
  updateAway: lightRoute<typeof updateAway>('PUT', '/api/release/away'),
  getReleaseSettings: lightRoute<typeof getReleaseSettings>('GET', '/api/user/release-settings'),
  updateReleasePreferences: lightRoute<typeof updateReleasePreferences>('PUT', '/api/release/preferences'),
  updateReleaseSettings: lightRoute<typeof updateReleaseSettings>('PUT', '/api/user/release-settings'),
  checkin: lightRoute<typeof checkin>('POST', '/api/checkin'),
  stopRelease: lightRoute<typeof stopRelease>('POST', '/api/release/stop'),
  dismissReturn: lightRoute<typeof dismissReturn>('POST', '/api/release/came-back/read'),
  listMessages: lightRoute<typeof listMessages>('GET', '/api/messages'),
  listContacts: lightRoute<typeof listContacts>('GET', '/api/trusted-contacts'),
  getBilling: lightRoute<typeof getBilling>('GET', '/api/billing'),
  getDashboardStats: lightRoute<typeof getDashboardStats>('GET', '/api/dashboard/stats'),
  getPlanLimits: lightRoute<typeof getPlanLimits>('GET', '/api/plan-limits'),
};

function lightRoute<R extends Route>(method: R['method'], path: R['path']): R {
  return { method, path } as R;
}
