import type { ComponentProps } from 'react';
import { complaintWordsLengthMax } from '#shared/rules/retention.ts';
import { TextAreaField, TextField } from '#web/components/ui/field.tsx';

type FieldName = 'name' | 'email' | 'words';

export const sendWords = 'Send the complaint';

type ComplaintFieldsProps = {
  /** Returns the name of a field and its link to the form. */
  bind: (name: FieldName) => ComponentProps<'input'> & ComponentProps<'textarea'>;
  errorOf: (name: FieldName) => string | undefined;
};

/** Fields of a complaint, with scripts and without. */
export function ComplaintFields({ bind, errorOf }: ComplaintFieldsProps) {
  return (
    <>
      <TextField label="Your name *" autoComplete="name" required error={errorOf('name')} {...bind('name')} />
      <TextField
        label="Your email *"
        type="email"
        autoComplete="email"
        autoCapitalize="none"
        spellCheck={false}
        required
        hint="The receipt and our answer go here"
        error={errorOf('email')}
        {...bind('email')}
      />
      <TextAreaField
        label="What is wrong *"
        hint="What happened, when, and what you would like us to do. Do not write passwords here."
        rows={8}
        required
        maxLength={complaintWordsLengthMax}
        error={errorOf('words')}
        {...bind('words')}
      />
    </>
  );
}
