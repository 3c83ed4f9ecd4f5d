import { firstNameOf } from '#shared/rules/names.ts';
import { InvitationCopy } from '#web/components/letter/invitation-copy.tsx';
import { TextField } from '#web/components/ui/field.tsx';
import type { ContactWords } from './answers.rules.ts';
import { StepForm } from './step-form.tsx';
import type { Wizard } from './use-wizard.ts';

/** The first contact, their task, and the email that asks them. */
export function ContactStep({ wizard }: { wizard: Wizard }) {
  const { contact, account } = wizard.answers;
  const ownerName = {
    name: [account.firstName, account.lastName].filter(Boolean).join(' '),
    firstName: account.firstName,
  };
  const bind = (field: keyof ContactWords) => ({
    value: contact[field],
    error: wizard.errors[field],
    autoComplete: 'off',
    onChange: ({ target }: { target: { value: string } }) =>
      wizard.change({ contact: { ...contact, [field]: target.value } }, field),
  });
  return (
    <StepForm wizard={wizard} part="contact">
      <div className="setup-duty">
        <div>
          <h2>What they do</h2>
          <p>Nothing now. If you stop answering, we ask them what has happened. They never see what you wrote.</p>
        </div>
        <div>
          <h2>Whom to choose</h2>
          <p>Somebody who would hear of it if something happened to you, and who answers email.</p>
        </div>
      </div>
      <div className="setup-pair">
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
        <InvitationCopy to={firstNameOf(contact.name)} from={ownerName} />
      </div>
    </StepForm>
  );
}
