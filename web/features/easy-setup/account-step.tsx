import { useState } from 'react';
import { Link } from 'wouter';
import { PasswordField, TextField } from '#web/components/ui/field.tsx';
import type { AccountWords } from './answers.rules.ts';
import { StepForm } from './step-form.tsx';
import type { Wizard } from './use-wizard.ts';

/** Email, password and name. The password stays in this field: it is never kept with the rest. */
export function AccountStep({ wizard }: { wizard: Wizard }) {
  const [password, setPassword] = useState('');
  const { account } = wizard.answers;
  const bind = (field: keyof AccountWords) => ({
    value: account[field],
    error: wizard.errors[field],
    onChange: ({ target }: { target: { value: string } }) =>
      wizard.change({ account: { ...account, [field]: target.value } }, field),
  });
  return (
    <StepForm wizard={wizard} onSubmit={() => wizard.createAccount(password)} submitLabel="Create Account">
      <div className="card setup-card">
        <TextField
          label="Email *"
          type="email"
          autoComplete="email"
          autoCapitalize="none"
          spellCheck={false}
          required
          {...bind('email')}
        />
        <PasswordField
          label="Password *"
          autoComplete="new-password"
          required
          hint="At least 8 characters with letters and numbers"
          value={password}
          error={wizard.errors.password}
          onChange={({ target }) => {
            setPassword(target.value);
            wizard.change({}, 'password');
          }}
        />
        <div className="setup-names">
          <TextField label="First Name *" autoComplete="given-name" required {...bind('firstName')} />
          <TextField label="Last Name (optional)" autoComplete="family-name" {...bind('lastName')} />
        </div>
        <p className="small quiet">
          With the account, everything you typed is saved in your vault. Read how we treat it in our{' '}
          <Link href="/privacy">privacy policy</Link>.
        </p>
      </div>
    </StepForm>
  );
}
