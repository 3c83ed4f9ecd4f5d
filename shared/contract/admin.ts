import { z } from 'zod';
import { newPassword } from '#shared/contract/accounts.ts';
import {
  email,
  id,
  idParams,
  instant,
  requiredLine,
  requiredName,
  requiredText,
  text,
} from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { passwordLengthMin } from '#shared/rules/passwords.ts';
import { planNames, registrablePlanNames } from '#shared/rules/plans.ts';
import { roleNames } from '#shared/rules/roles.ts';

/** Users in one answer. */
export const usersPerPage = 50;
const searchLengthMax = 100;

/** An account as the administrator sees it: its identity and state. Vault content and credentials are left out. */
export const adminUserSchema = z
  .object({
    id,
    email: z.string(),
    firstName: z.string().nullable(),
    lastName: z.string().nullable(),
    plan: z.enum(planNames),
    /** True if the plan was given by an administrator, so that no payment stands behind it. */
    isPlanGranted: z.boolean(),
    role: z.enum(roleNames),
    isEmailVerified: z.boolean(),
    /** The designated administrator, who can't be deleted or lose the role. */
    isAdministrator: z.boolean(),
    createdAt: instant,
    lastLoginAt: instant.nullable(),
    lastCheckinAt: instant,
    /** Time when the account and its content will be deleted; null if no deletion was requested. */
    deletesAt: instant.nullable(),
  })
  .meta({ id: 'AdminUser' });

export type AdminUser = z.input<typeof adminUserSchema>;

export const userSorts = ['createdAt', 'email', 'name', 'lastLoginAt', 'lastCheckinAt'] as const;
export type UserSort = (typeof userSorts)[number];

/** A page of users, newest first unless asked otherwise. `after` is the last user of the page before. */
export const listAdminUsers = defineRoute({
  method: 'GET',
  path: '/api/admin/users-temp',
  access: 'administrator',
  summary: 'Users, fifty at a time',
  query: z.object({
    /** Words that must each stand in the address or the name. */
    search: text(searchLengthMax).trim().default(''),
    sort: z.enum(userSorts).default('createdAt'),
    direction: z.enum(['asc', 'desc']).default('desc'),
    after: id.optional(),
  }),
  answer: z.array(adminUserSchema),
});

export const createUserBody = z.object({
  email,
  password: newPassword(`Password must be at least ${passwordLengthMin} characters`),
  firstName: requiredName('First name is required'),
  lastName: requiredName('Last name is required'),
  plan: z.enum(registrablePlanNames).default('free'),
  role: z.enum(roleNames).default('user'),
});

/** The password is good for one sign-in: its owner must choose another. The address counts as verified. */
export const createAdminUser = defineRoute({
  method: 'POST',
  path: '/api/admin/users',
  access: 'administrator',
  summary: 'Open an account for somebody',
  body: createUserBody,
  status: 201,
  answer: adminUserSchema,
  ratePerMinute: 60,
});

export const editUserBody = z.object({
  plan: z.enum(planNames),
  role: z.enum(roleNames),
  isEmailVerified: z.boolean(),
});

export const updateAdminUser = defineRoute({
  method: 'PUT',
  path: '/api/admin/users/:id',
  access: 'administrator',
  summary: 'Change plan, role and whether the address counts as verified',
  params: idParams,
  body: editUserBody,
  answer: adminUserSchema,
});

/** As if its owner had asked: signed out everywhere, thirty days to take it back, then all of it goes. */
export const deleteAdminUser = defineRoute({
  method: 'DELETE',
  path: '/api/admin/users/:id',
  access: 'administrator',
  summary: 'Begin the deletion of an account',
  params: idParams,
  status: 204,
});

export const verifyAdminUser = defineRoute({
  method: 'POST',
  path: '/api/admin/verify-user/:id',
  access: 'administrator',
  summary: 'Count the address of a user as verified',
  params: idParams,
  answer: adminUserSchema,
});

const subjectLengthMax = 150;
const newsLengthMax = 20_000;
/** People that one bulk email goes to at most. */
export const bulkRecipientsMax = 10_000;

export const nobodySelected = 'Please select at least one user to send email to';

/** The form of the dialog; whom it goes to was chosen before. */
export const bulkEmailForm = z.object({
  subject: requiredLine(subjectLengthMax, 'Subject is required'),
  message: requiredText(newsLengthMax, 'Message is required'),
});

export const bulkEmailBody = bulkEmailForm.extend({
  recipients: z.array(email).max(bulkRecipientsMax).default([]),
});

/** Mails of a bulk email that leave in any minute at most. */
export const bulkPerMinuteMax = 50;

/** They go out little by little; how far it is can be asked with `listBulkEmails`. */
export const sendBulkEmail = defineRoute({
  method: 'POST',
  path: '/api/admin/bulk-email',
  access: 'administrator',
  summary: 'Write to users, one mail a person',
  body: bulkEmailBody,
  status: 202,
  answer: z.object({
    message: z.string(),
    id,
    /** People who will be written to, and those left out: without a verified address, or without the wish for news. */
    total: z.number(),
    leftOut: z.number(),
  }),
  ratePerMinute: 10,
});

export const bulkEmailStates = ['sending', 'done', 'cancelled'] as const;

export const bulkEmailSchema = z
  .object({
    id,
    subject: z.string(),
    state: z.enum(bulkEmailStates),
    createdAt: instant,
    endedAt: instant.nullable(),
    /** Addressees by outcome. Those in no other count are still open. */
    total: z.number(),
    sent: z.number(),
    failed: z.number(),
    leftOut: z.number(),
    cancelled: z.number(),
  })
  .meta({ id: 'BulkEmail' });

export type BulkEmail = z.input<typeof bulkEmailSchema>;

export const listBulkEmails = defineRoute({
  method: 'GET',
  path: '/api/admin/bulk-email',
  access: 'administrator',
  summary: 'How far the last bulk emails are, newest first',
  answer: z.array(bulkEmailSchema),
});

export const cancelBulkEmail = defineRoute({
  method: 'POST',
  path: '/api/admin/bulk-email/:id/cancel',
  access: 'administrator',
  summary: 'Write to nobody else',
  params: idParams,
  answer: bulkEmailSchema,
});

/** Months that the chart of the revenue shows, the present one last. */
export const revenueMonths = 12;

const pounds = z.number().meta({ description: 'Pounds, to the penny' });

export const revenueSchema = z
  .object({
    totalUsers: z.number(),
    /** Monthly subscriptions that are active, and a twelfth of annual ones. */
    totalMonthlyRevenue: pounds,
    /** Accounts that went from free to paid. */
    accountUpgrades: z.number(),
    /** Money received minus refunds, per account that ever paid. */
    averageLifetimeValue: pounds,
    /** Revenue of recent months, oldest first. Months are London months, such as `2026-11`. */
    months: z.array(z.object({ month: z.string(), received: pounds })),
  })
  .meta({ id: 'Revenue' });

export type Revenue = z.input<typeof revenueSchema>;

export const getRevenue = defineRoute({
  method: 'GET',
  path: '/api/admin/revenue',
  access: 'administrator',
  summary: 'What the service earns',
  answer: revenueSchema,
});
