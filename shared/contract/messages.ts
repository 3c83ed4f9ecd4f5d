import { z } from 'zod';
import {
  booleanText,
  contentLengthMax,
  email,
  id,
  idParams,
  instant,
  requiredLine,
  requiredText,
  titleLengthMax,
} from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { messageCategories, messageStatuses } from '#shared/rules/categories.ts';

export const messageSchema = z
  .object({
    id,
    title: z.string(),
    content: z.string(),
    recipientEmail: z.string(),
    category: z.enum(messageCategories),
    status: z.enum(messageStatuses),
    visibleToTrustedContact: z.boolean(),
    hasAttachment: z.boolean(),
    attachmentOriginalName: z.string().nullable(),
    attachmentSize: z.number().nullable(),
    attachmentMimeType: z.string().nullable(),
    deliveredAt: instant.nullable(),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'Message' });

export type Message = z.input<typeof messageSchema>;

const messageFields = {
  title: requiredLine(titleLengthMax),
  content: requiredText(contentLengthMax),
  recipientEmail: email,
  category: z.enum(messageCategories).default('personal'),
  status: z.enum(['draft', 'ready']).default('draft'),
};

/** What an owner may say of a message. `delivered` is never theirs to set. */
export const messageBody = z.object({
  ...messageFields,
  visibleToTrustedContact: z.boolean().default(false),
  /** In a change, `false` removes the attachment; anything else leaves it as it is. */
  hasAttachment: z.boolean().optional(),
});

/** The same beside an uploaded attachment. */
export const messageForm = z.object({
  ...messageFields,
  visibleToTrustedContact: booleanText.default(false),
});

export const listMessages = defineRoute({
  method: 'GET',
  path: '/api/messages',
  access: 'session',
  summary: 'The messages of the signed-in owner, newest first',
  answer: z.array(messageSchema),
});

export const createMessage = defineRoute({
  method: 'POST',
  path: '/api/messages',
  access: 'session',
  summary: 'Write a message, within the plan',
  body: messageBody,
  status: 201,
  answer: messageSchema,
});

export const updateMessage = defineRoute({
  method: 'PUT',
  path: '/api/messages/:id',
  access: 'verified',
  summary: 'Change a message that is not delivered yet',
  params: idParams,
  body: messageBody,
  answer: messageSchema,
});

export const deleteMessage = defineRoute({
  method: 'DELETE',
  path: '/api/messages/:id',
  access: 'verified',
  summary: 'Delete a message for good',
  params: idParams,
  status: 204,
});

export const createMessageWithAttachment = defineRoute({
  method: 'POST',
  path: '/api/messages/with-attachment',
  access: 'session',
  summary: 'Write a message with a file, within the plan',
  form: messageForm,
  status: 201,
  answer: messageSchema,
});

export const updateMessageWithAttachment = defineRoute({
  method: 'PUT',
  path: '/api/messages/:id/with-attachment',
  access: 'verified',
  summary: 'Change a message that is not delivered yet, and attach a file in place of the one it had',
  params: idParams,
  form: messageForm,
  answer: messageSchema,
});

export const downloadAttachment = defineRoute({
  method: 'GET',
  path: '/api/messages/:id/attachment',
  access: 'session',
  summary: 'The file of a message, under its own name',
  params: idParams,
  answersFile: true,
});
