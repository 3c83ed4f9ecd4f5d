import { z } from 'zod';
import { secondFactors } from './accounts.ts';
import { tokenParams } from './fields.ts';
import { readerSays } from './letters/delivery.ts';
import { defineRoute } from './route.ts';

/* Forms of linked pages and of pages that lead into the vault. With scripts, the page makes the contract's call
   itself. Without scripts, the browser posts the form to the page's address. */

/** `press` says which button was pressed. What else there is, the call that it stands for checks. */
const form = (...presses: [string, ...string[]]) => z.object({ press: z.enum(presses) });

const common = { method: 'POST', access: 'token', params: tokenParams, urlEncoded: true, ratePerMinute: 30 } as const;

export const pressCheckIn = defineRoute({
  ...common,
  path: '/check-in/:token',
  summary: 'Press "Check in" on the page behind a link, without scripts',
  body: z.object({}),
});

export const pressNewLink = defineRoute({
  ...common,
  path: '/message/:token/new-link',
  summary: 'Ask for a new link on the page of a letter whose link has expired, without scripts',
  body: z.object({}),
});

export const pressSay = defineRoute({
  ...common,
  path: '/message/:token/say',
  summary: 'Say on the page of a letter how it goes on: keep it, not now, no more letters, letters again',
  body: form(...readerSays),
});

export const pressNotMe = defineRoute({
  ...common,
  path: '/not-me/:token',
  summary: 'Say “This was not me” on the page about a new account, without scripts',
  body: z.object({}),
});

export const pressRemoveContact = defineRoute({
  ...common,
  path: '/remove-contact/:token',
  summary: 'Remove a trusted contact on the page behind a link, without scripts',
  body: z.object({}),
});

export const pressInvitation = defineRoute({
  ...common,
  path: '/trusted-contact-accept/:token',
  summary: 'Accept or decline the role on the page of an invitation, without scripts',
  body: form('accept', 'decline'),
});

export const pressPortal = defineRoute({
  ...common,
  path: '/trusted-contact-admin/:token',
  summary: 'Answer on the page of a release, without scripts; a confirmation is asked again before it counts',
  body: form('confirm', 'cancel', 'alive', 'take-back', 'not-asked', 'owner-address', 'letters').extend({
    readerId: z.string().default(''),
    reason: z.string().default(''),
    address: z.string().default(''),
    typed: z.string().default(''),
  }),
});

export const pressNewAddress = defineRoute({
  ...common,
  path: '/new-address/:token',
  summary: 'Propose or answer another address without scripts; whatever sends a letter is asked again before it counts',
  body: form('look', 'propose', 'again', 'agree', 'send', 'refuse').extend({
    letterId: z.string().default(''),
    address: z.string().default(''),
    reason: z.string().default(''),
  }),
});

export const pressNews = defineRoute({
  ...common,
  path: '/news/:token',
  summary: 'Stop the news or begin them again, without scripts',
  body: form('stop', 'again'),
});

export const pressCheckout = defineRoute({
  ...common,
  path: '/checkout/:token',
  summary: 'Pay with a practice card, without scripts',
  body: z.object({ card: z.string().default('') }),
});

export const pressLinkIdentity = defineRoute({
  ...common,
  path: '/link-sign-in/:token',
  summary: 'Link a provider on the page behind a mailed link, without scripts',
  body: z.object({}),
});

export const pressUnlinkIdentity = defineRoute({
  ...common,
  path: '/unlink-sign-in/:token',
  summary: 'Say “This was not me” on the page about a provider, without scripts',
  body: z.object({}),
});

/** The budget of the call that each stands for is the smaller one, and what it refuses is shown on a page. */
const entrance = { method: 'POST', access: 'public', urlEncoded: true, ratePerMinute: 30 } as const;
/** Raw value of a field. The call behind the form validates it. */
const typed = z.string().default('');

export const pressSignIn = defineRoute({
  ...entrance,
  path: '/login',
  summary: 'Sign in on the page, without scripts',
  /** `question` is the one that a mail has led here with. */
  body: z.object({ email: typed, password: typed, keepSignedIn: z.stringbool().optional(), question: typed }),
});

export const pressSecondStep = defineRoute({
  ...entrance,
  path: '/login/second-step',
  summary: 'End a sign-in with a code on the page, without scripts',
  body: z.object({ factor: z.enum(secondFactors).exclude(['passkey']), code: typed, question: typed }),
});

export const pressRegister = defineRoute({
  ...entrance,
  path: '/register',
  summary: 'Create an account on the page, without scripts',
  body: z.object({
    firstName: typed,
    lastName: typed,
    email: typed,
    password: typed,
    confirmPassword: typed,
    /** The form names one always. */
    plan: z.string().default('free'),
  }),
});

export const pressResetRequest = defineRoute({
  ...entrance,
  path: '/login/reset',
  summary: 'Ask for a link that sets a new password on the page, without scripts',
  body: z.object({ email: typed }),
});

export const pressNewPassword = defineRoute({
  ...common,
  path: '/reset-password/:token',
  summary: 'Set a new password on the page that the link of a reset leads to, without scripts',
  body: z.object({ password: typed, confirmPassword: typed }),
});

export const pressNewVerification = defineRoute({
  ...entrance,
  path: '/verify-email',
  summary: 'Ask for a new verification link on the page of an expired one, without scripts',
  body: z.object({ token: typed }),
});

export const pressMailboxProof = defineRoute({
  ...common,
  path: '/confirm-mailbox/:token',
  summary: 'Confirm on the page behind the link that the mailbox is yours, without scripts',
  body: z.object({}),
});

export const pressEmergency = defineRoute({
  ...entrance,
  path: '/emergency-activation',
  summary: 'Ask, as a trusted contact, for an early release on the page, without scripts',
  body: z.object({ userEmail: typed, contactEmail: typed, contactName: typed, reason: typed }),
});

export const pressComplaint = defineRoute({
  ...entrance,
  path: '/complaint',
  summary: 'Complain about how personal data is used on the page, without scripts',
  body: z.object({ name: typed, email: typed, words: typed }),
});
