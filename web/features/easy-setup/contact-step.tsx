import { TextField } from '#web/components/ui/field.tsx';
import type { ContactWords } from './held.rules.ts';
import { StepForm } from './step-form.tsx';
import type { Wizard } from './use-wizard.ts';

/** Somebody who would know whether all is well. */
export function ContactStep({ wizard }: { wizard: Wizard }) {
  const { contact } = wizard.held;
  const bind = (field: keyof ContactWords) => ({
    value: contact[field],
    error: wizard.errors[field],
    autoComplete: 'off',
    onChange: ({ target }: { target: { value: string } }) =>
      wizard.hold({ contact: { ...contact, [field]: target.value } }, field),
  });
  return (
    <StepForm wizard={wizard} part="contact">
      <div className="card setup-card">
        <TextField label="Name *" required {...bind('name')} />
        <TextField
          label="Email *"
          type="email"
          autoCapitalize="none"
          spellCheck={false}
          required
          hint="We write to this address only to ask whether they accept, and later if we do not hear from you."
          {...bind('email')}
        />
        <TextField
          label="Relationship (optional)"
          hint="Such as sister, friend or solicitor"
          {...bind('relationship')}
        />
        <TextField label="Phone (optional)" type="tel" {...bind('phone')} />
      </div>
    </StepForm>
  );
}
