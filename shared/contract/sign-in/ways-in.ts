import { z } from 'zod';
import { newPasswordForm } from '#shared/contract/accounts.ts';
import { id, idParams, instant, okAnswer, tokenParams } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';

/** A provider that the account is linked with, as its owner sees it. */
export const linkedIdentity = z
  .object({
    id,
    /** Name of the provider; the host of its issuer if it is not set up here any more. */
    provider: z.string(),
    /** False if the provider can't be used for sign-in here now. */
    isUsable: z.boolean(),
    /** Address that the provider gave last. */
    email: z.string().nullable(),
    linkedAt: instant,
    lastUsedAt: instant.nullable(),
  })
  .meta({ id: 'LinkedIdentity' });

/** Redirects to the provider. The person returns to `/privacy`, with `linked` or `error` in the query. */
export const startIdentityLink = defineRoute({
  method: 'POST',
  path: '/api/user/identities',
  access: 'session',
  summary: 'Link the account with an identity provider; asks for the password or a passkey of just now',
  body: z.object({ provider: z.string().max(60) }),
  /** Address that the browser goes to. */
  answer: z.object({ url: z.string() }),
  ratePerMinute: 10,
});

export const removeIdentity = defineRoute({
  method: 'DELETE',
  path: '/api/user/identities/:id',
  access: 'session',
  summary: 'Remove the link with an identity provider; ends the other sessions',
  params: idParams,
  status: 204,
});

/** For an account that opens with a provider or a passkey alone. */
export const setFirstPassword = defineRoute({
  method: 'POST',
  path: '/api/user/password',
  access: 'session',
  summary: 'Set a password where there is none; ends the other sessions',
  body: newPasswordForm,
  answer: okAnswer,
  ratePerMinute: 10,
});

export const removePassword = defineRoute({
  method: 'DELETE',
  path: '/api/user/password',
  access: 'session',
  summary: 'Remove the password; ends the other sessions',
  status: 204,
});

/** The mail and the page name the provider, and enough of the address to know it again. */
const ofMail = { provider: z.string(), email: z.string() };

export const identityLinkSchema = z.object({ ...ofMail, askedAt: instant }).meta({ id: 'IdentityLink' });
export type IdentityLink = z.input<typeof identityLinkSchema>;

/** Looking changes nothing: mail scanners open links by themselves. */
export const getIdentityLink = defineRoute({
  method: 'GET',
  path: '/api/link-sign-in/:token',
  access: 'token',
  summary: 'Which provider a mailed button would link with an account',
  params: tokenParams,
  answer: identityLinkSchema,
  ratePerMinute: 30,
});

export const linkIdentity = defineRoute({
  method: 'POST',
  path: '/api/link-sign-in/:token',
  access: 'token',
  summary: 'Link a provider with the account that the mail went to, once',
  params: tokenParams,
  answer: z.object({ provider: z.string() }),
  ratePerMinute: 20,
});

export const identityUnlinkSchema = z
  .object({
    ...ofMail,
    /** True if the provider opens the account now. */
    isLinked: z.boolean(),
  })
  .meta({ id: 'IdentityUnlink' });
export type IdentityUnlink = z.input<typeof identityUnlinkSchema>;

export const getIdentityUnlink = defineRoute({
  method: 'GET',
  path: '/api/unlink-sign-in/:token',
  access: 'token',
  summary: 'What “This was not me” of a mail about a provider would undo',
  params: tokenParams,
  answer: identityUnlinkSchema,
  ratePerMinute: 30,
});

export const unlinkIdentity = defineRoute({
  method: 'POST',
  path: '/api/unlink-sign-in/:token',
  access: 'token',
  summary: 'Say that a link with a provider was made or asked for by another person; ends every session if it was made',
  params: tokenParams,
  answer: z.object({ provider: z.string(), wasLinked: z.boolean() }),
  ratePerMinute: 20,
});
