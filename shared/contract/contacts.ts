import { z } from 'zod';
import {
  email,
  id,
  idParams,
  instant,
  isDamaged,
  messageAnswer,
  nameLengthMax,
  optionalLine,
  optionalWords,
  phone,
  requiredName,
  tokenParams,
} from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { fromVersion, fromVersionQuery, version } from '#shared/contract/vault/versions.ts';

export const contactSchema = z
  .object({
    id,
    name: z.string(),
    email: z.string(),
    phone: z.string().nullable(),
    relationship: z.string().nullable(),
    /** The owner's switch. */
    isActive: z.boolean(),
    /** The contact's own yes. Only contacts with both count in a release. */
    isConfirmed: z.boolean(),
    /** Said no to the role; asking again is up to the owner. */
    hasDeclined: z.boolean(),
    confirmationSentAt: instant.nullable(),
    /** Time when the invitation leaves that waits because others were sent before it; null if none does. */
    invitationLeavesAt: instant.nullable(),
    confirmedAt: instant.nullable(),
    createdAt: instant,
    updatedAt: instant,
    version,
    /** Sees the page for the first weeks after a release. */
    seesFirstWeeks: z.boolean(),
    /** A word from the owner, which the invitation quotes below our own sentences. */
    word: z.string().nullable(),
    isDamaged,
  })
  .meta({ id: 'TrustedContact' });

export type TrustedContact = z.input<typeof contactSchema>;

/** A few sentences, as much as a card holds. */
export const contactWordLengthMax = 400;

export const contactBody = z.object({
  name: requiredName(),
  email,
  phone,
  relationship: optionalLine(nameLengthMax),
  isActive: z.boolean().default(true),
  /** Left out, it stays as it is: false for a new contact, and for a new address. */
  seesFirstWeeks: z.boolean().optional(),
  /** Left out in a change, it stays, unless the address is another: it was written to one person. */
  word: optionalWords(contactWordLengthMax),
  /** In a change: the version it was made from. */
  version: fromVersion,
});

export const listContacts = defineRoute({
  method: 'GET',
  path: '/api/trusted-contacts',
  access: 'session',
  summary: 'Trusted contacts, newest first',
  answer: z.array(contactSchema),
});

/** Open to an unverified owner for the first contact only: the service refuses a second one until verified. */
export const createContact = defineRoute({
  method: 'POST',
  path: '/api/trusted-contacts',
  access: 'session',
  takesChangeKey: true,
  summary: 'Name a trusted contact and invite them',
  body: contactBody,
  status: 201,
  answer: contactSchema,
});

export const updateContact = defineRoute({
  method: 'PUT',
  path: '/api/trusted-contacts/:id',
  access: 'verified',
  takesChangeKey: true,
  summary: 'Change a contact; a new address starts the confirmation over',
  params: idParams,
  body: contactBody,
  answer: contactSchema,
});

export const deleteContact = defineRoute({
  method: 'DELETE',
  path: '/api/trusted-contacts/:id',
  access: 'verified',
  summary: 'Remove a contact',
  params: idParams,
  query: fromVersionQuery,
  status: 204,
});

export const resendInvitation = defineRoute({
  method: 'POST',
  path: '/api/trusted-contacts/:id/resend-invitation',
  access: 'verified',
  summary: 'Send the invitation again',
  params: idParams,
  answer: messageAnswer,
  ratePerMinute: 5,
});

/** Last moment at which the link accepts an answer. Null after a yes: a contact may leave at any time. */
const answerableUntil = instant.nullable();

export const invitationSchema = z
  .object({
    ownerName: z.string(),
    contactName: z.string(),
    contactEmail: z.string(),
    state: z.enum(['open', 'accepted', 'declined']),
    answerableUntil,
  })
  .meta({ id: 'Invitation' });

export const getInvitation = defineRoute({
  method: 'GET',
  path: '/api/trusted-contact-invitation/:token',
  access: 'token',
  summary: 'What is asked of the contact',
  params: tokenParams,
  answer: invitationSchema,
  ratePerMinute: 30,
});

export const answerInvitation = defineRoute({
  method: 'POST',
  path: '/api/trusted-contact-invitation/:token',
  access: 'token',
  summary: 'Accept or decline the role',
  params: tokenParams,
  body: z.object({ accept: z.boolean() }),
  answer: z.object({ contactId: id, name: z.string(), isConfirmed: z.boolean(), answerableUntil }),
  ratePerMinute: 30,
});
