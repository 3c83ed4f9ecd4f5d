import { zodResolver } from '@hookform/resolvers/zod';
import { useEffect, useState } from 'react';
import { type UseFormReturn, useForm } from 'react-hook-form';
import type { z } from 'zod';
import { type Message, messageBody } from '#shared/contract/messages.ts';
import { useDraft } from '#web/lib/draft.ts';

type Values = z.input<typeof messageBody>;
export type MessageAnswers = z.output<typeof messageBody>;
export type MessageFormFields = UseFormReturn<Values, unknown, MessageAnswers>;

export type MessageFormState = {
  form: MessageFormFields;
  /** When the words on the page were last kept on this device; undefined while nothing was typed. */
  keptAtMs: number | undefined;
  /** Whether the page shows words that were kept from before. */
  isRestored: boolean;
  /** Forgets what was kept, and shows again what is saved. */
  startAgain: () => void;
  /** Forgets what was kept: it has been saved, or is not wanted. */
  forget: () => void;
};

const empty: Values = {
  title: '',
  content: '',
  recipientEmail: '',
  category: 'personal',
  status: 'draft',
  visibleToTrustedContact: false,
};

/** The form of a message, new or saved, whose words outlive a reload, encrypted on this device. */
export function useMessageForm(message: Message | undefined): MessageFormState {
  const [saved] = useState(() => (message ? valuesOf(message) : empty));
  const draft = useDraft<Values>(`message:${message?.id ?? 'new'}`, saved, { secret: true });
  const [keptAtMs, setKeptAtMs] = useState<number>();
  const [isRestored, setRestored] = useState(false);
  const form: MessageFormFields = useForm<Values, unknown, MessageAnswers>({
    resolver: zodResolver(messageBody),
    defaultValues: saved,
  });
  const { watch, reset } = form;
  const { setValue, clear } = draft;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the draft changes with every key, and only its first arrival may replace what is on the page.
  useEffect(() => {
    if (!draft.isRestored) return;
    // What is saved stays the default, so that the form still knows what differs from it.
    reset(draft.value, { keepDefaultValues: true });
    setRestored(true);
  }, [draft.isRestored, reset]);

  useEffect(() => {
    const subscription = watch((values, { name }) => {
      // Without a field it is the whole form being filled in by us.
      if (name === undefined) return;
      setValue({ ...empty, ...values });
      setKeptAtMs(Date.now());
    });
    return () => subscription.unsubscribe();
  }, [watch, setValue]);

  return {
    form,
    keptAtMs,
    isRestored,
    forget: clear,
    startAgain: () => {
      clear();
      reset(saved);
      setRestored(false);
      setKeptAtMs(undefined);
    },
  };
}

function valuesOf({ title, content, recipientEmail, category, visibleToTrustedContact }: Message): Values {
  return { title, content, recipientEmail, category, status: 'draft', visibleToTrustedContact };
}
