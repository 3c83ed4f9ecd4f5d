import { z } from 'zod';
import { defineRoute } from '#shared/contract/route.ts';
import { registrablePlanNames } from '#shared/rules/plans.ts';

export const getAuthProviders = defineRoute({
  method: 'GET',
  path: '/api/auth/providers',
  access: 'public',
  summary: 'Whom people can sign in with besides their password',
  answer: z.object({ google: z.boolean() }),
});

/** Redirects to the provider; 404 where none is configured. */
export const startGoogleSignIn = defineRoute({
  method: 'GET',
  path: '/api/auth/google',
  access: 'public',
  summary: 'Go to Google to sign in',
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
 * Where the provider sends the browser back to: signs in and redirects to `/`, or to `/login?error=google_auth_failed`.
 * Where it set out to confirm, the session is fresh again and the way leads to `/confirmed`, with that error or without; and with
 * `google_sign_in_old` where Google does not say that its person signed in there within the last ten minutes.
 * The query is the provider's to write (RFC 6749 §4.1.2), and a broken one is a failure like any other.
 */
export const finishGoogleSignIn = defineRoute({
  method: 'GET',
  path: '/api/auth/google/callback',
  access: 'public',
  summary: 'Come back from Google',
  ratePerMinute: 20,
});
