import { zodResolver } from '@hookform/resolvers/zod';
import { useEffect, useState } from 'react';
import { type UseFormReturn, useForm } from 'react-hook-form';
import type { z } from 'zod';
import { documentBody } from '#shared/contract/documents.ts';
import { documentCategories } from '#shared/rules/categories.ts';
import { CheckboxField, SelectField, TextAreaField, TextField } from '#web/components/ui/field.tsx';
import { useDraft } from '#web/lib/drafts/draft.ts';
import { documentCategoryLabels } from './document-list.rules.ts';

export type DocumentValues = z.input<typeof documentBody>;
export type DocumentAnswers = z.output<typeof documentBody>;
export type DocumentForm = UseFormReturn<DocumentValues, unknown, DocumentAnswers>;

const descriptionRows = 3;

/** What is said of a document, whose words outlive a reload, encrypted on this device. */
export function useDocumentForm(
  draftName: string,
  initial: DocumentValues,
): { form: DocumentForm; forget: () => void } {
  const [saved] = useState(initial);
  const draft = useDraft<DocumentValues>(draftName, saved, { secret: true });
  const form: DocumentForm = useForm<DocumentValues, unknown, DocumentAnswers>({
    resolver: zodResolver(documentBody),
    defaultValues: saved,
  });
  const { watch, reset } = form;
  const { setValue, clear } = draft;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the draft changes with every key, and only its first arrival may replace what is on the page.
  useEffect(() => {
    if (draft.isRestored) reset(draft.value, { keepDefaultValues: true });
  }, [draft.isRestored, reset]);

  useEffect(() => {
    const subscription = watch((values, { name }) => {
      // Without a field it is the whole form being filled in by us.
      if (name !== undefined) setValue({ ...saved, ...values });
    });
    return () => subscription.unsubscribe();
  }, [watch, setValue, saved]);

  return { form, forget: clear };
}

/** Name, category, description, and who sees it. */
export function DocumentFields({ form: { register, formState } }: { form: DocumentForm }) {
  const { errors } = formState;
  return (
    <>
      <TextField
        label="Document Name *"
        autoComplete="off"
        required
        error={errors.name?.message}
        {...register('name')}
      />
      <SelectField
        label="Category *"
        required
        options={documentCategories.map((value) => ({ value, label: documentCategoryLabels[value] }))}
        error={errors.category?.message}
        {...register('category')}
      />
      <TextAreaField
        label="Description"
        rows={descriptionRows}
        hint="Where the original lies, or who should have it"
        error={errors.description?.message}
        {...register('description')}
      />
      <CheckboxField
        label={
          <>
            Show to my trusted contacts
            <br />
            <span className="hint">
              They see its name once they are asked, by an emergency request also while you live, and can open it after
              a release
            </span>
          </>
        }
        {...register('visibleToTrustedContact')}
      />
    </>
  );
}
