import { z } from 'zod';
import { defineRoute } from '#shared/contract/route.ts';
import { registrablePlanNames } from '#shared/rules/plans.ts';

/** A provider as people see it, and the word that stands for it in addresses. */
export const identityProvider = z.object({ slug: z.string(), name: z.string() });

export const getAuthProviders = defineRoute({
  method: 'GET',
  path: '/api/auth/providers',
  access: 'public',
  summary: 'Whom people can sign in with besides their password',
  answer: z.object({ providers: z.array(identityProvider) }),
});

/** Of a name that nobody is configured by, the answer is 404. */
const named = z.object({ provider: z.string().max(60) });

/** Redirects to the provider; 404 where none of this name is configured. */
export const startExternalSignIn = defineRoute({
  method: 'GET',
  path: '/api/auth/:provider',
  access: 'public',
  summary: 'Go to an identity provider to sign in',
  params: named,
  query: z.object({
    /** Chosen for an account that is not there yet; any other word is read as the free plan, as on the page. */
    plan: z.enum(registrablePlanNames).catch('free'),
    /** `confirm`: somebody who is signed in proves once more who they are, and comes back to `/confirmed`. */
    purpose: z.enum(['sign-in', 'confirm']).catch('sign-in'),
    /** Whether to stay signed in on this device; see `keepSignedIn` of the sign-in. */
    keep: z.enum(['yes', 'no']).catch('yes'),
  }),
  ratePerMinute: 20,
});

/**
 * Where the provider sends the browser back to: signs in and redirects to `/`, or to `/login` with an error such as
 * `google_auth_failed`. Where the account has the address and no link yet, the error is one such as `google_email_sent`. Where
 * the session set out to link, the way leads to `/privacy`, with `linked` or an error. Where it set out to confirm, the session is fresh again and the way leads to `/confirmed`, with that
 * error or without; and with one such as `google_sign_in_old` where the provider does not say that its person signed in there
 * within the last ten minutes. The query is the provider's to write (RFC 6749 §4.1.2), and a broken one is a failure like
 * any other.
 */
export const finishExternalSignIn = defineRoute({
  method: 'GET',
  path: '/api/auth/:provider/callback',
  access: 'public',
  summary: 'Come back from an identity provider',
  params: named,
  ratePerMinute: 20,
});
