import { Sheet } from '#web/components/ui/card.tsx';
import { Field, TextField } from '#web/components/ui/field.tsx';
import type { MessageWords } from './answers.rules.ts';
import { StepForm } from './step-form.tsx';
import type { Wizard } from './use-wizard.ts';

const rowsAtFirst = 8;

/** A sheet to write on, and who it is for. */
export function MessageStep({ wizard }: { wizard: Wizard }) {
  const { answers, errors } = wizard;
  const { message } = answers;
  const bind = (field: keyof MessageWords) => ({
    value: message[field],
    autoComplete: 'off',
    required: true,
    onChange: ({ target }: { target: { value: string } }) =>
      wizard.change({ message: { ...message, [field]: target.value } }, field),
  });
  return (
    <StepForm wizard={wizard} part="message">
      <Sheet className="write setup-sheet">
        <Field label="Title *" error={errors.title}>
          {(control) => <input type="text" className="write-title" {...bind('title')} {...control} />}
        </Field>
        <Field label="Message *" error={errors.content}>
          {(control) => <textarea className="write-body letter" rows={rowsAtFirst} {...bind('content')} {...control} />}
        </Field>
      </Sheet>
      <div className="card setup-card">
        <TextField
          label="Recipient Email *"
          type="email"
          autoCapitalize="none"
          spellCheck={false}
          hint="They get it when the time has come, and hear nothing before. Your trusted person sees its title, never the letter."
          error={errors.recipientEmail}
          {...bind('recipientEmail')}
        />
      </div>
    </StepForm>
  );
}
