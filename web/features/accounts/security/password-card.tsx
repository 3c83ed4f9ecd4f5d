import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { changePassword } from '#shared/contract/accounts.ts';
import type { RouteBodyInput } from '#shared/contract/route.ts';
import { getSecondFactors } from '#shared/contract/second-factors.ts';
import { setFirstPassword } from '#shared/contract/sign-in/ways-in.ts';
import { NotConfirmedError } from '#web/components/fresh-sign-in/not-confirmed.ts';
import { useFreshSignIn } from '#web/components/fresh-sign-in/use-fresh-sign-in.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { PasswordField } from '#web/components/ui/field.tsx';
import { NewPasswordFields } from '#web/features/accounts/new-password-fields.tsx';
import { useChange } from '#web/lib/api/changes.ts';
import { keyOf } from '#web/lib/api/reads.ts';
import { showIssues } from '#web/lib/form-issues.ts';
import { toast } from '#web/lib/toast.ts';

type Values = RouteBodyInput<typeof changePassword>;

/** Changing the password, or getting a first one. */
export function PasswordCard({ hasPassword }: { hasPassword: boolean }) {
  return (
    <Card as="section" className="guard" aria-labelledby="password">
      <h2 className="h-card" id="password">
        Password
      </h2>
      {hasPassword ? <PasswordForm /> : <FirstPassword />}
    </Card>
  );
}

const empty = { currentPassword: '', password: '', confirmPassword: '' };

function PasswordForm() {
  const { register, handleSubmit, formState, watch, setError, reset } = useForm<Values>({
    resolver: zodResolver(changePassword.body),
    defaultValues: empty,
  });
  const client = useQueryClient();
  const { run, dialog } = useFreshSignIn('Change the password');
  const change = useChange(changePassword, {
    through: (attempt) =>
      run(async () => {
        // The session gets a new cookie; a question that is still under way would come back as that of a stranger.
        await client.cancelQueries();
        return attempt();
      }),
    onSuccess: ({ message }) => {
      reset(empty);
      toast({ title: 'Password changed', description: message });
    },
    onError: (error) => {
      if (!(error instanceof NotConfirmedError))
        showIssues(error, ['currentPassword', 'password', 'confirmPassword'], setError);
    },
  });
  const { errors } = formState;
  const submit = handleSubmit((body) => {
    if (!change.isPending) change.mutate({ body });
  });
  return (
    <>
      <form className="form" noValidate onSubmit={submit}>
        <PasswordField
          label="Current password"
          error={errors.currentPassword?.message}
          {...register('currentPassword')}
        />
        <NewPasswordFields
          password={register('password', { deps: formState.isSubmitted ? ['confirmPassword'] : [] })}
          confirmPassword={register('confirmPassword')}
          typed={watch('password')}
          errors={errors}
          failure={change.error instanceof NotConfirmedError ? null : change.error}
        />
        <p className="hint">Your other devices are signed out when the password changes.</p>
        <Button type="submit" className="guard-act" busy={change.isPending}>
          {change.isPending ? 'Saving…' : 'Change the password'}
        </Button>
      </form>
      {dialog}
    </>
  );
}

type FirstValues = RouteBodyInput<typeof setFirstPassword>;
const emptyFirst = { password: '', confirmPassword: '' };

/** For an account that opens with a provider or a passkey alone. */
function FirstPassword() {
  const { register, handleSubmit, formState, watch, setError } = useForm<FirstValues>({
    resolver: zodResolver(setFirstPassword.body),
    defaultValues: emptyFirst,
  });
  const client = useQueryClient();
  const { run, dialog } = useFreshSignIn('Set the password');
  const change = useChange(setFirstPassword, {
    through: (attempt) => run(attempt),
    onSuccess: () => {
      client.invalidateQueries({ queryKey: keyOf(getSecondFactors) });
      toast({ title: 'Password set', description: 'You can sign in with it. Other devices were signed out.' });
    },
    onError: (error) => {
      if (!(error instanceof NotConfirmedError)) showIssues(error, ['password', 'confirmPassword'], setError);
    },
  });
  const submit = handleSubmit((body) => {
    if (!change.isPending) change.mutate({ body });
  });
  return (
    <>
      <p>Your account has no password. You sign in with an account elsewhere or a passkey.</p>
      <form className="form" noValidate onSubmit={submit}>
        <NewPasswordFields
          password={register('password', { deps: formState.isSubmitted ? ['confirmPassword'] : [] })}
          confirmPassword={register('confirmPassword')}
          typed={watch('password')}
          errors={formState.errors}
          failure={change.error instanceof NotConfirmedError ? null : change.error}
        />
        <Button type="submit" variant="secondary" className="guard-act" busy={change.isPending}>
          {change.isPending ? 'Saving…' : 'Set a password'}
        </Button>
      </form>
      {dialog}
    </>
  );
}
