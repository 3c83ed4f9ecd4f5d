import {
  completeResetPassword,
  getAuthUser,
  getUser,
  login,
  logout,
  reauthenticate,
  register,
  resendVerification,
  resetPassword,
} from '#shared/contract/accounts.ts';
import { getBilling, notePlanOffered } from '#shared/contract/billing.ts';
import { sendComplaint } from '#shared/contract/complaints.ts';
import { answerInvitation, getInvitation, listContacts } from '#shared/contract/contacts.ts';
import { getDashboardStats, getPlanLimits } from '#shared/contract/dashboard.ts';
import { getAuthProviders, startExternalSignIn } from '#shared/contract/identity.ts';
import { downloadDeliveredAttachment, getDeliveredMessage, renewDelivery } from '#shared/contract/letters/delivery.ts';
import { getDeliveredEnclosure } from '#shared/contract/letters/enclosures.ts';
import {
  getLettersSummary,
  getMessage,
  listEnvelopes,
  listReaders,
  searchEnvelopes,
} from '#shared/contract/letters/envelopes.ts';
import { copyDeliveredLetter } from '#shared/contract/letters/keepsake.ts';
import { getVerifiedAddress } from '#shared/contract/mailbox.ts';
import { getNewsChoice, setNewsChoice } from '#shared/contract/news.ts';
import { getNotMe, sayNotMe } from '#shared/contract/not-me.ts';
import { getAskerRemoval, removeAsker } from '#shared/contract/release/asker-removal.ts';
import { activateEmergency } from '#shared/contract/release/emergency.ts';
import {
  confirmRelease,
  downloadPortalDocument,
  getPortal,
  giveOwnerAddress,
  sayAlive,
  sayNotAsked,
  takeBackConfirmation,
} from '#shared/contract/release/portal.ts';
import {
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
import { listSentLetters } from '#shared/contract/release/sent-letters.ts';
import {
  askLoginPasskey,
  askReauthenticationPasskey,
  getSecondFactors,
  getSecondStep,
  loginWithPasskey,
  reauthenticateWithPasskey,
} from '#shared/contract/second-factors.ts';
import { getIdentityLink, getIdentityUnlink, linkIdentity, unlinkIdentity } from '#shared/contract/sign-in/ways-in.ts';
import { listDocumentPage, searchDocuments } from '#shared/contract/vault/document-pages.ts';
import { copyPortalFirstWeeks, getPortalFirstWeeks } from '#shared/contract/vault/first-weeks.ts';
import { withoutSchemas } from './without-schemas.ts';

/**
 * Routes by method and address only, for pages that must not wait for the contract's schemas. Those are letters and
 * linked pages, sign-in, the public forms, the first page and the dashboard. The web's build replaces this file by its result
 * (`build/evaluated.ts`), so that no browser fetches its sources.
 */
export const light = withoutSchemas({
  getAuthUser,
  getUser,
  login,
  register,
  resetPassword,
  completeResetPassword,
  getVerifiedAddress,
  getAuthProviders,
  askLoginPasskey,
  loginWithPasskey,
  getSecondStep,
  logout,
  notePlanOffered,
  getRelease,
  getDeliveredMessage,
  renewDelivery,
  downloadDeliveredAttachment,
  copyDeliveredLetter,
  getDeliveredEnclosure,
  getPortal,
  confirmRelease,
  sayAlive,
  sayNotAsked,
  takeBackConfirmation,
  giveOwnerAddress,
  downloadPortalDocument,
  getPortalFirstWeeks,
  copyPortalFirstWeeks,
  getAskerRemoval,
  removeAsker,
  getCheckInLink,
  checkInByLink,
  getInvitation,
  answerInvitation,
  getNotMe,
  sayNotMe,
  getIdentityLink,
  linkIdentity,
  getIdentityUnlink,
  unlinkIdentity,
  getNewsChoice,
  setNewsChoice,
  reauthenticate,
  startExternalSignIn,
  askReauthenticationPasskey,
  getSecondFactors,
  reauthenticateWithPasskey,
  resendVerification,
  updateAway,
  getReleaseSettings,
  updateReleasePreferences,
  updateReleaseSettings,
  checkin,
  stopRelease,
  listSentLetters,
  dismissReturn,
  getLettersSummary,
  listReaders,
  listEnvelopes,
  searchEnvelopes,
  getMessage,
  listContacts,
  listDocumentPage,
  searchDocuments,
  getBilling,
  getDashboardStats,
  getPlanLimits,
  sendComplaint,
  activateEmergency,
});
