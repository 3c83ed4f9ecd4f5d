import { registerBody } from '#shared/contract/accounts.ts';
import { contactBody } from '#shared/contract/contacts.ts';
import { phone } from '#shared/contract/fields.ts';
import { messageBody } from '#shared/contract/messages.ts';
import { isSameMailbox } from '#shared/rules/addresses/mailboxes.ts';
import { addressIn } from '#shared/rules/addresses/written-address.ts';
import { waitingDaysMax } from '#shared/rules/inactivity.ts';
import { daysError } from '#web/lib/days.ts';
import type { AccountWords, ContactWords, MessageWords, SettingsWords } from './answers.rules.ts';

/** Sentences by field. */
export type FieldErrors = Readonly<Record<string, string>>;

/** Faults of a step: beside its fields, and a notice for the whole. Null if there are none. */
export type Wrong = { errors: FieldErrors; notice: { title: string; description: string } | null } | null;

export function wrongSettings(words: SettingsWords): Wrong {
  const parsed = phone.safeParse(words.phone);
  const waitingDays = daysError(words.waitingDays, waitingDaysMax);
  if (parsed.success && !waitingDays) return null;
  const errors = {
    ...(parsed.success ? {} : { phone: parsed.error.issues[0]?.message ?? '' }),
    ...(waitingDays ? { waitingDays } : {}),
  };
  return { errors, notice: null };
}

export function wrongContact(words: ContactWords): Wrong {
  return wrong(contactBody, words, {
    fields: ['name', 'email'],
    title: 'Please fill in required fields',
    description: 'Name and email are required for your trusted person.',
  });
}

export function wrongMessage(words: MessageWords): Wrong {
  return wrong(messageBody, words, {
    fields: ['title', 'content', 'recipientEmail'],
    title: 'Please fill in all fields',
    description: 'Title, message, and recipient email are required.',
  });
}

/** `contactEmail` is the address of the trusted person, who can't be the owner. */
export function wrongAccount(words: AccountWords & { password: string }, contactEmail: string): Wrong {
  const found = wrong(
    registerBody,
    { ...words, username: words.email },
    {
      fields: ['email', 'password', 'firstName'],
      title: 'Please fill in required fields',
      description: 'Email, password, and first name are required.',
    },
  );
  if (found || !isSameAddress(words.email, contactEmail)) return found;
  const email = 'This is the address of your trusted person. Use your own, or go back and change theirs';
  return { errors: { email }, notice: null };
}

type Required = { fields: readonly string[]; title: string; description: string };

/** The part of a schema of the contract that is used here. */
type Schema = {
  safeParse: (
    value: unknown,
  ) => { success: true } | { success: false; error: { issues: { path: PropertyKey[]; message: string }[] } };
};

function wrong(schema: Schema, words: Record<string, string>, { fields, title, description }: Required): Wrong {
  const parsed = schema.safeParse(words);
  if (parsed.success) return null;
  const errors: Record<string, string> = {};
  for (const { path, message } of parsed.error.issues) errors[String(path[0])] ??= message;
  const isMissing = fields.some((field) => words[field]?.trim() === '');
  return { errors, notice: isMissing ? { title, description } : null };
}

function isSameAddress(one: string, other: string): boolean {
  return isSameMailbox(addressIn(one), addressIn(other));
}
