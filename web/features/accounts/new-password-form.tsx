import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import { useForm } from 'react-hook-form';
import type { z } from 'zod';
import { completeResetPassword, newPasswordForm } from '#shared/contract/accounts.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { PasswordField } from '#web/components/ui/field.tsx';
import { ApiError, call } from '#web/lib/api.ts';
import { showIssues } from './form-issues.ts';
import { messageOf } from './sign-in.ts';
import { StrengthMeter } from './strength-meter.tsx';

type Values = z.infer<typeof newPasswordForm>;

type NewPasswordFormProps = {
  token: string;
  onChanged: () => void;
  /** The link has been used, is too old, or was never ours. */
  onDeadLink: () => void;
  onErrors: (hasErrors: boolean) => void;
};

/** The end of a reset: a new password, typed twice. */
export function NewPasswordForm({ token, onChanged, onDeadLink, onErrors }: NewPasswordFormProps) {
  const meterId = useId();
  const { register, handleSubmit, formState, watch, setError } = useForm<Values>({
    resolver: zodResolver(newPasswordForm),
    defaultValues: { password: '', confirmPassword: '' },
  });
  const change = useMutation({
    mutationFn: (values: Values) => call(completeResetPassword, { body: { token, ...values } }),
    onSuccess: onChanged,
    onError: (error) => {
      const isAboutTheFields = showIssues(error, ['password', 'confirmPassword'], setError);
      onErrors(isAboutTheFields);
      if (!isAboutTheFields && isDeadLink(error)) onDeadLink();
    },
  });
  const submit = handleSubmit(
    (values) => {
      onErrors(false);
      if (!change.isPending) change.mutate(values);
    },
    () => onErrors(true),
  );
  const { errors } = formState;
  return (
    <form className="form" noValidate onSubmit={submit}>
      <PasswordField
        label="New password"
        autoComplete="new-password"
        error={errors.password?.message}
        {...register('password', { deps: formState.isSubmitted ? ['confirmPassword'] : [] })}
      />
      <StrengthMeter id={meterId} password={watch('password')} />
      <PasswordField
        label="New password again"
        autoComplete="new-password"
        error={errors.confirmPassword?.message}
        {...register('confirmPassword')}
      />
      {change.isError && Object.keys(errors).length === 0 ? (
        <Banner tone="bad" role="alert">
          {messageOf(change.error)}
        </Banner>
      ) : null}
      <Button type="submit" wide busy={change.isPending}>
        {change.isPending ? 'Saving…' : 'Save the new password'}
      </Button>
    </form>
  );
}

/** Anything the service refuses about the link itself; being busy or out of reach says nothing about it. */
function isDeadLink(error: unknown): boolean {
  return error instanceof ApiError && [400, 404, 409, 410].includes(error.status);
}
