import type { UseFormReturn } from 'react-hook-form';
import type { Message } from '#shared/contract/messages.ts';
import { type KeptForm, useKeptForm } from '#web/lib/drafts/kept-form.ts';
import { type Writing, type WritingInput, writingForm } from './writing.ts';

export type MessageFormFields = UseFormReturn<WritingInput, unknown, Writing>;

export type MessageFormState = KeptForm<WritingInput, Writing>;

const empty: WritingInput = {
  title: '',
  content: '',
  recipientEmail: '',
  category: 'personal',
  status: 'draft',
  visibleToTrustedContact: false,
  isSealed: false,
  passphrase: '',
  hint: '',
  locked: null,
};

/** The form of a message, new or saved. */
export function useMessageForm(message: Message | undefined): MessageFormState {
  return useKeptForm<WritingInput, Writing>({
    draftName: `message:${message?.id ?? 'new'}`,
    schema: writingForm,
    initial: message ? valuesOf(message) : empty,
    keep: withoutPassphrase,
  });
}

/** A passphrase is never kept anywhere. */
function withoutPassphrase(values: WritingInput): WritingInput {
  return { ...values, passphrase: '' };
}

function valuesOf(message: Message): WritingInput {
  const { title, content, recipientEmail, category, visibleToTrustedContact, encryptedContent } = message;
  const seal = {
    isSealed: encryptedContent !== null,
    hint: encryptedContent?.hint ?? '',
    // Held as it came, until its writer opens it.
    locked: encryptedContent,
  };
  return { ...empty, title, content, recipientEmail, category, visibleToTrustedContact, ...seal };
}
