import { useId } from 'react';
import type { FieldErrors, UseFormRegisterReturn } from 'react-hook-form';
import { Banner } from '#web/components/ui/banner.tsx';
import { PasswordField } from '#web/components/ui/field.tsx';
import { messageOf } from './sign-in.ts';
import { StrengthMeter } from './strength-meter.tsx';

type NewPasswordFieldsProps = {
  password: UseFormRegisterReturn;
  confirmPassword: UseFormRegisterReturn;
  /** Typed text of the first field, for the meter. */
  typed: string;
  errors: FieldErrors<{ currentPassword?: string; password: string; confirmPassword?: string }>;
  /** Error of the service; null if there is none. Shown if no field shows it. */
  failure: Error | null;
};

/** A new password, typed twice, and how hard it is to guess. */
export function NewPasswordFields({ password, confirmPassword, typed, errors, failure }: NewPasswordFieldsProps) {
  const meterId = useId();
  return (
    <>
      <PasswordField label="New password" autoComplete="new-password" error={errors.password?.message} {...password} />
      <StrengthMeter id={meterId} password={typed} />
      <PasswordField
        label="New password again"
        autoComplete="new-password"
        error={errors.confirmPassword?.message}
        {...confirmPassword}
      />
      {failure && Object.keys(errors).length === 0 ? (
        <Banner tone="bad" role="alert">
          {messageOf(failure)}
        </Banner>
      ) : null}
    </>
  );
}
