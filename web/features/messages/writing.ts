import { z } from 'zod';
import { optionalLine, text } from '#shared/contract/fields.ts';
import { deliverOn } from '#shared/contract/letters/deliver-on.ts';
import { recipientList } from '#shared/contract/letters/recipients.ts';
import { hintWanted, type messageBody, messageFields, sealedLetter } from '#shared/contract/messages.ts';
import {
  foldedPassphrase,
  passphraseHintLengthMax,
  passphraseLengthMax,
  passphraseLengthMin,
} from '#shared/rules/letter-seal.ts';
import { transcriptLengthMax } from '#shared/rules/letters/enclosures.ts';
import { deliverOnOf } from '#web/lib/own-day.ts';
import { greetingOf, isBlank } from './greeting.rules.ts';

const { recipientEmail: _, ...ownFields } = messageFields;

/** Fields of the message form: the fields that are sent, and a passphrase, which never is. */
export const writingForm = z
  .object({
    ...ownFields,
    recipients: recipientList,
    showRecipients: z.boolean().default(false),
    when: z.enum(['once', 'day', 'months']).default('once'),
    day: z.string().default(''),
    months: z.string().default(''),
    announceWait: z.boolean().default(false),
    visibleToTrustedContact: z.boolean().default(false),
    /** Transcript of a video attached to the letter. */
    attachmentTranscript: text(transcriptLengthMax).trim().default(''),
    /** True if the letter must be sealed with the passphrase before it leaves the browser. */
    isSealed: z.boolean().default(false),
    passphrase: z.string().max(passphraseLengthMax, `Please keep this to ${passphraseLengthMax} characters`),
    hint: optionalLine(passphraseHintLengthMax),
    /** Version of the saved letter that the words were made from. */
    version: z.string().optional(),
    /** A sealed letter that was not opened here: it is sent back unchanged. */
    locked: sealedLetter.nullable(),
  })
  .superRefine(({ when, day, months }, context) => {
    const wanted = deliverOn.safeParse(deliverOnOf({ when, day, months }));
    if (wanted.success || when === 'once') return;
    const message = when === 'day' ? 'Choose a day' : wanted.error.issues[0]?.message;
    context.addIssue({ code: 'custom', path: [when], message });
  })
  .superRefine(({ content, recipients, showRecipients, isSealed, passphrase, hint, locked }, context) => {
    if (locked) return;
    if (isBlank(content, greetingOf(recipients, showRecipients)))
      context.addIssue({ code: 'custom', path: ['content'], message: 'Required' });
    if (!isSealed) return;
    if (foldedPassphrase(passphrase).length < passphraseLengthMin) {
      const message = `Type a passphrase of at least ${passphraseLengthMin} letters or digits`;
      context.addIssue({ code: 'custom', path: ['passphrase'], message });
    }
    if (hint === null) context.addIssue({ code: 'custom', path: ['hint'], message: hintWanted });
  });

export type WritingInput = z.input<typeof writingForm>;
export type Writing = z.output<typeof writingForm>;
export type MessageAnswers = z.output<typeof messageBody>;
