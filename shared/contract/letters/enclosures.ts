import { z } from 'zod';
import { booleanText, id, renamedFrom, text, tokenParams } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { fileNameLengthMax } from '#shared/rules/files.ts';
import {
  captionLengthMax,
  enclosureKinds,
  enclosuresMax,
  transcriptLengthMax,
} from '#shared/rules/letters/enclosures.ts';

/** The longest letter there may be has no more paragraphs. */
export const paragraphMax = 100_000;

/** Pixels of a picture as shown, so that a page can reserve its space; null for a voice or an unreadable picture. */
export const pictureSize = z.object({ width: z.number(), height: z.number() }).nullable();

/** A picture or a voice in the envelope of a letter. */
export const enclosureSchema = z
  .object({
    id,
    kind: z.enum(enclosureKinds),
    /** The name under which it is saved. */
    name: z.string(),
    sizeBytes: z.number(),
    mimeType: z.string(),
    pictureSize,
    /** Caption of one line. Screen readers use it as the picture's description. */
    caption: z.string(),
    /** Transcript of a voice; empty if none was written. */
    transcript: z.string(),
    /** Its place among those of the letter, from 1. */
    position: z.number(),
    /** After which paragraph it stands: 0 before the first, null at the end. */
    afterParagraph: z.number().nullable(),
    /** The camera's original of a picture that was made smaller. Its address is the same, with its own id. */
    original: z.object({ id, name: z.string(), sizeBytes: z.number(), mimeType: z.string() }).nullable(),
  })
  .meta({ id: 'Enclosure' });

export type Enclosure = z.input<typeof enclosureSchema>;

/**
 * In a change of a sealed letter: the name of the sealed file that it had when it was read. Where another one is there meanwhile,
 * nothing is changed.
 */
export const sealedFile = z.string().max(fileNameLengthMax).optional();

/** With a change that removes the passphrase: staged files that become enclosures, in this order. */
export const staged = z.array(id).max(enclosuresMax.picture + enclosuresMax.voice);

const caption = text(captionLengthMax).trim();
const transcript = text(transcriptLengthMax).trim();
const params = z.object({ id });
const paramsOfOne = z.object({ id, enclosureId: id });

export const addEnclosure = defineRoute({
  method: 'POST',
  path: '/api/messages/:id/enclosures',
  access: 'verified',
  takesChangeKey: true,
  summary: 'Put a picture or a voice into a letter that is not delivered yet, within the plan',
  params,
  /** True keeps what a camera wrote into a picture: position, time, owner. Otherwise that is overwritten. */
  query: z.object({ asTaken: booleanText.default(false) }),
  form: z.object({
    caption: caption.default(''),
    /**
     * Beside sealed words that are about to lose their passphrase: any number, the same for all that is put in for that. It lies
     * in the letter once a change without the passphrase names it as `staged`, and is thrown away after a day otherwise.
     */
    staging: id.optional(),
  }),
  status: 201,
  answer: enclosureSchema.extend({ renamedFrom }),
});

export const getEnclosure = defineRoute({
  method: 'GET',
  path: '/api/messages/:id/enclosures/:enclosureId',
  access: 'session',
  summary: 'A picture or a voice of a letter, for its writer',
  params: paramsOfOne,
  answersFile: true,
});

export const updateEnclosure = defineRoute({
  method: 'PUT',
  path: '/api/messages/:id/enclosures/:enclosureId',
  access: 'verified',
  summary: 'Change what is said of a picture or a voice, or its place; what is left out stays',
  params: paramsOfOne,
  body: z.object({
    caption: caption.optional(),
    transcript: transcript.optional(),
    /** A place behind the last one is the last one. */
    position: z.int().min(1).max(paragraphMax).optional(),
    afterParagraph: z.int().min(0).max(paragraphMax).nullable().optional(),
    /** Words that the change was made from; refused if others are stored. */
    before: z.object({ caption, transcript }).optional(),
  }),
  answer: enclosureSchema,
});

export const removeEnclosure = defineRoute({
  method: 'DELETE',
  path: '/api/messages/:id/enclosures/:enclosureId',
  access: 'verified',
  summary: 'Take a picture or a voice out of a letter that is not delivered yet, for good',
  params: paramsOfOne,
  status: 204,
});

export const addOriginal = defineRoute({
  method: 'POST',
  path: '/api/messages/:id/enclosures/:enclosureId/original',
  access: 'verified',
  summary: 'Keep beside a picture the one that the camera wrote, in place of any that was there, within the plan',
  params: paramsOfOne,
  form: z.object({}),
  status: 201,
  answer: enclosureSchema.extend({ renamedFrom }),
});

export const removeOriginal = defineRoute({
  method: 'DELETE',
  path: '/api/messages/:id/enclosures/:enclosureId/original',
  access: 'verified',
  summary: 'Take the original of a picture out of a letter that is not delivered yet, for good',
  params: paramsOfOne,
  status: 204,
});

export const getDeliveredEnclosure = defineRoute({
  method: 'GET',
  path: '/api/message-delivery/:token/enclosures/:enclosureId',
  access: 'token',
  summary: 'A picture or a voice of a delivered letter, for its recipient',
  params: tokenParams.extend({ enclosureId: id }),
  answersFile: true,
  ratePerMinute: 120,
});
