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

/** An unknown provider name is answered with 404. */
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
    /** `confirm`: a signed-in person proves their identity again, and returns to `/confirmed`. */
    purpose: z.enum(['sign-in', 'confirm']).catch('sign-in'),
    /** See `keepSignedIn` of the sign-in. */
    keep: z.enum(['yes', 'no']).catch('yes'),
  }),
  ratePerMinute: 20,
});

/**
 * Return address of the provider. Signs in and redirects to `/`, or to `/login` with an error such as
 * `google_auth_failed`. If an account has the address but no link, the error is one such as `google_email_sent`. A
 * session that started a link returns to `/privacy`, with `linked` or an error. A session that started `confirm`
 * returns to `/confirmed`: fresh again, or with an error. The error `google_sign_in_old` means that the person last
 * signed in at the provider over ten minutes ago. The provider writes the query (RFC 6749 §4.1.2). A broken query
 * counts as a failed sign-in.
 */
export const finishExternalSignIn = defineRoute({
  method: 'GET',
  path: '/api/auth/:provider/callback',
  access: 'public',
  summary: 'Come back from an identity provider',
  params: named,
  ratePerMinute: 20,
});
