import { z } from 'zod';
import { messageAnswer, okAnswer, token } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';

export const askForMailboxProof = defineRoute({
  method: 'POST',
  path: '/api/user/mailbox-proof',
  access: 'session',
  whileClosing: true,
  summary: 'Send a link that shows, once it is opened where you are signed in, that you read the mail at your address',
  answer: messageAnswer,
  ratePerMinute: 5,
});

/** A press behind the link, by the signed-in person to the account that it was sent to. */
export const proveMailbox = defineRoute({
  method: 'POST',
  path: '/api/user/mailbox-proof/confirm',
  access: 'session',
  whileClosing: true,
  summary: 'Show with the mailed link that the mailbox of your account is yours',
  body: z.object({ token }),
  answer: okAnswer,
  ratePerMinute: 10,
});

/** For the sign-in page, right after a verification link was opened in this browser. */
export const getVerifiedAddress = defineRoute({
  method: 'GET',
  path: '/api/login/verified-address',
  access: 'public',
  summary: 'The address that was verified in this browser within the last ten minutes, to be filled in',
  answer: z.object({ email: z.string().nullable() }),
  ratePerMinute: 60,
});
