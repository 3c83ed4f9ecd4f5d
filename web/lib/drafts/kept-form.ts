import { zodResolver } from '@hookform/resolvers/zod';
import { useCallback, useEffect, useState } from 'react';
import { type DefaultValues, type FieldValues, type UseFormReturn, useForm } from 'react-hook-form';
import type { z } from 'zod';
import { useDraft } from '#web/lib/drafts/draft.ts';

export type KeptForm<Values extends FieldValues, Answers> = {
  form: UseFormReturn<Values, unknown, Answers>;
  /**
   * Time when words on this page were last kept on this device; undefined before, and where the newest could not be.
   */
  keptAtMs: number | undefined;
  /** True if the page shows words that were kept from before. */
  isRestored: boolean;
  /** False until it is known whether words were kept from before. */
  isLoaded: boolean;
  /** Shows words that were kept elsewhere, and keeps them here. */
  adopt: (values: Values) => void;
  /** Deletes the draft, and shows the saved values. */
  startAgain: () => void;
  /** Deletes the draft: it was saved, or is not wanted. */
  forget: () => void;
};

type KeptFormOptions<Values extends FieldValues, Answers> = {
  /** Name of the draft (`message:new`). */
  draftName: string;
  schema: z.ZodType<Answers, Values>;
  /** Saved values, or the empty form. Only the first value counts. */
  initial: Values;
  /** Stored part of the form, if not all; must be a stable function. */
  keep?: (values: Values) => Values;
};

const all = <Values>(values: Values) => values;

/** A form whose text survives a reload, encrypted on this device, because it is written to or about people. */
export function useKeptForm<Values extends FieldValues, Answers>({
  draftName,
  schema,
  initial,
  keep = all,
}: KeptFormOptions<Values, Answers>): KeptForm<Values, Answers> {
  const [saved] = useState(initial);
  const draft = useDraft<Values>(draftName, saved, { secret: true });
  const [isRestored, setRestored] = useState(false);
  const form = useForm<Values, unknown, Answers>({
    resolver: zodResolver(schema),
    defaultValues: saved as DefaultValues<Values>,
  });
  const { watch, reset, getValues } = form;
  const { setValue, clear } = draft;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the draft changes with every key, and only its first arrival may replace what is on the page.
  useEffect(() => {
    if (!draft.isRestored) return;
    // The saved values stay the defaults, so that the form still knows the differences.
    reset({ ...saved, ...draft.value }, { keepDefaultValues: true });
    setRestored(true);
  }, [draft.isRestored, reset]);

  useEffect(() => {
    const subscription = watch((_, { name }) => {
      // Without a field it is the whole form being filled in by us.
      if (name !== undefined) setValue(keep({ ...saved, ...getValues() }));
    });
    return () => subscription.unsubscribe();
  }, [watch, setValue, getValues, keep, saved]);

  const adopt = useCallback(
    (values: Values) => {
      setValue(keep(values));
      reset(values, { keepDefaultValues: true });
      setRestored(true);
    },
    [setValue, keep, reset],
  );
  const startAgain = useCallback(() => {
    clear();
    reset(saved);
    setRestored(false);
  }, [clear, reset, saved]);

  const { keptAtMs, isLoaded } = draft;
  return { form, keptAtMs, isRestored, isLoaded, adopt, forget: clear, startAgain };
}
