import { zodResolver } from '@hookform/resolvers/zod';
import { useEffect, useState } from 'react';
import { type UseFormReturn, useForm } from 'react-hook-form';
import type { Message } from '#shared/contract/messages.ts';
import { useDraft } from '#web/lib/drafts/draft.ts';
import { type Writing, type WritingInput, writingForm } from './writing.ts';

export type MessageFormFields = UseFormReturn<WritingInput, unknown, Writing>;

export type MessageFormState = {
  form: MessageFormFields;
  /** When words on this page were last kept on this device; undefined before, and where the newest could not be. */
  keptAtMs: number | undefined;
  /** Whether the page shows words that were kept from before. */
  isRestored: boolean;
  /** Forgets what was kept, and shows again what is saved. */
  startAgain: () => void;
  /** Forgets what was kept: it has been saved, or is not wanted. */
  forget: () => void;
};

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

/** The form of a message, new or saved, whose words outlive a reload, encrypted on this device. */
export function useMessageForm(message: Message | undefined): MessageFormState {
  const [saved] = useState(() => (message ? valuesOf(message) : empty));
  const draft = useDraft<WritingInput>(`message:${message?.id ?? 'new'}`, saved, { secret: true });
  const [isRestored, setRestored] = useState(false);
  const form: MessageFormFields = useForm<WritingInput, unknown, Writing>({
    resolver: zodResolver(writingForm),
    defaultValues: saved,
  });
  const { watch, reset } = form;
  const { setValue, clear } = draft;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the draft changes with every key, and only its first arrival may replace what is on the page.
  useEffect(() => {
    if (!draft.isRestored) return;
    // What is saved stays the default, so that the form still knows what differs from it.
    reset({ ...empty, ...draft.value }, { keepDefaultValues: true });
    setRestored(true);
  }, [draft.isRestored, reset]);

  useEffect(() => {
    const subscription = watch((_, { name }) => {
      // Without a field it is the whole form being filled in by us.
      if (name === undefined) return;
      // A passphrase is never kept anywhere.
      setValue({ ...form.getValues(), passphrase: '' });
    });
    return () => subscription.unsubscribe();
  }, [watch, setValue, form]);

  return {
    form,
    keptAtMs: draft.keptAtMs,
    isRestored,
    forget: clear,
    startAgain: () => {
      clear();
      reset(saved);
      setRestored(false);
    },
  };
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
