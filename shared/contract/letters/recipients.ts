import { z } from 'zod';
import { email, nameLengthMax, optionalLine, optionalName } from '#shared/contract/fields.ts';
import { isSameMailbox } from '#shared/rules/addresses/mailboxes.ts';

/** For how many people one message can be. */
export const recipientsMax = 20;
/** The highest place among letters to one person. */
export const positionMax = 1_000_000;

/** One of those a message is for. */
export const recipientBody = z.object({
  name: optionalName(),
  /** Relation to the writer, such as "my daughter". */
  relation: optionalLine(nameLengthMax),
  email,
});

/** Recipient as contacts and other recipients see it. */
export const namedRecipient = z
  .object({ name: z.string().nullable(), relation: z.string().nullable(), email: z.string() })
  .meta({ id: 'NamedRecipient' });

export type RecipientInput = z.output<typeof recipientBody>;

/** All of them, each mailbox once: twenty spellings of one mailbox would be twenty emails to one person. */
export const recipientList = z
  .array(recipientBody, 'Invalid input')
  .min(1, 'Say for whom this is')
  .max(recipientsMax, `Please keep this to ${recipientsMax} people`)
  .superRefine((recipients, context) => {
    for (const [index, { email: address }] of recipients.entries()) {
      const first = recipients.find((other) => isSameMailbox(other.email, address));
      if (first === recipients[index]) continue;
      const message =
        first?.email === address
          ? 'This address is in the list already'
          : `This mailbox is in the list already, written as ${first?.email}`;
      context.addIssue({ code: 'custom', path: [index, 'email'], message });
    }
  });

type ForWhom = { recipientEmail?: string | undefined; recipients?: readonly { email: string }[] | null | undefined };

/** `recipientEmail` alone makes one recipient; beside a list it is the first one's address, or is left out. */
export const forSomebody = ({ recipientEmail, recipients }: ForWhom): boolean =>
  recipientEmail !== undefined || Boolean(recipients);
export const nobodyNamed = {
  path: ['recipientEmail'],
  message: 'Please enter a valid email address',
  // Said beside whatever else is wrong, as of every field that is missing.
  when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null,
};

export const agreesWithList = ({ recipientEmail, recipients }: ForWhom): boolean =>
  recipientEmail === undefined || !recipients || recipients[0]?.email === recipientEmail;
export const otherFirst = {
  path: ['recipientEmail'],
  message: 'This is not the address of the first person in the list',
};

/** For whom a message is, however that was said. */
export function recipientsOf({
  recipientEmail,
  recipients,
}: {
  recipientEmail?: string | undefined;
  recipients?: RecipientInput[] | null | undefined;
}): RecipientInput[] {
  if (recipients) return recipients;
  if (recipientEmail === undefined) throw new Error('A message is for somebody.');
  return [{ name: null, relation: null, email: recipientEmail }];
}
