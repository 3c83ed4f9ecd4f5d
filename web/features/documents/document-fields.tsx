import type { UseFormReturn } from 'react-hook-form';
import type { z } from 'zod';
import { documentBody } from '#shared/contract/documents.ts';
import { documentCategories } from '#shared/rules/categories.ts';
import { CheckboxField, SelectField, TextAreaField, TextField } from '#web/components/ui/field.tsx';
import { type KeptForm, useKeptForm } from '#web/lib/drafts/kept-form.ts';
import { documentCategoryLabels } from './document-list.rules.ts';

export type DocumentValues = z.input<typeof documentBody>;
export type DocumentAnswers = z.output<typeof documentBody>;
export type DocumentForm = UseFormReturn<DocumentValues, unknown, DocumentAnswers>;

const descriptionRows = 3;

/** Details of a document. */
export function useDocumentForm(draftName: string, initial: DocumentValues): KeptForm<DocumentValues, DocumentAnswers> {
  return useKeptForm<DocumentValues, DocumentAnswers>({ draftName, schema: documentBody, initial });
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
