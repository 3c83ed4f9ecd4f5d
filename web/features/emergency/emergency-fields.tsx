import type { ComponentProps } from 'react';
import { reasonLengthMax } from '#shared/rules/release-answers.ts';
import { TextAreaField, TextField } from '#web/components/ui/field.tsx';

export const fieldNames = ['userEmail', 'contactEmail', 'contactName', 'reason'] as const;
export type FieldName = (typeof fieldNames)[number];

export const sendWords = 'Send the request';

const address = { type: 'email', autoCapitalize: 'none', spellCheck: false, required: true } as const;

type EmergencyFieldsProps = {
  /** Returns the name of a field and its link to the form. */
  bind: (name: FieldName) => ComponentProps<'input'> & ComponentProps<'textarea'>;
  errorOf: (name: FieldName) => string | undefined;
};

/** Fields of the emergency form, with scripts and without. */
export function EmergencyFields({ bind, errorOf }: EmergencyFieldsProps) {
  return (
    <>
      <TextField
        label="Account holder’s email *"
        hint="The person whose messages you ask us to release. Another spelling of the same mailbox works too, such as googlemail.com for gmail.com"
        autoComplete="off"
        error={errorOf('userEmail')}
        {...address}
        {...bind('userEmail')}
      />
      <TextField
        label="Your email *"
        hint="Must match the registered trusted-contact email"
        autoComplete="email"
        error={errorOf('contactEmail')}
        {...address}
        {...bind('contactEmail')}
      />
      <TextField
        label="Your full name *"
        autoComplete="name"
        required
        error={errorOf('contactName')}
        {...bind('contactName')}
      />
      <TextAreaField
        label="Reason *"
        hint="What has happened, and how you know. At least 10 characters. The account holder can read it."
        rows={5}
        required
        maxLength={reasonLengthMax}
        error={errorOf('reason')}
        {...bind('reason')}
      />
    </>
  );
}
