import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { changePassword, resetPassword } from '#shared/contract/accounts.ts';
import type { RouteBodyInput } from '#shared/contract/route.ts';
import { NotConfirmedError } from '#web/components/fresh-sign-in/not-confirmed.ts';
import { useFreshSignIn } from '#web/components/fresh-sign-in/use-fresh-sign-in.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { PasswordField } from '#web/components/ui/field.tsx';
import { NewPasswordFields } from '#web/features/accounts/new-password-fields.tsx';
import { messageOf } from '#web/features/accounts/sign-in.ts';
import { useChange } from '#web/lib/api/changes.ts';
import { showIssues } from '#web/lib/form-issues.ts';
import { toast } from '#web/lib/toast.ts';

type Values = RouteBodyInput<typeof changePassword>;

/** Changing the password, or getting a first one. */
export function PasswordCard({ hasPassword, email }: { hasPassword: boolean; email: string }) {
  return (
    <Card as="section" className="guard" aria-labelledby="password">
      <h2 className="h-card" id="password">
        Password
      </h2>
      {hasPassword ? <PasswordForm /> : <FirstPassword email={email} />}
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

/** For somebody who came by an identity provider, or by a passkey alone. */
function FirstPassword({ email }: { email: string }) {
  const send = useChange(resetPassword);
  return (
    <>
      <p>Your account has no password. You sign in with an account elsewhere or a passkey.</p>
      {send.isSuccess ? (
        <p role="status">A link to choose a password is on its way to {email}.</p>
      ) : (
        <Button
          variant="secondary"
          className="guard-act"
          busy={send.isPending}
          onClick={() => send.mutate({ body: { email } })}
        >
          {send.isPending ? 'Sending…' : 'Send me a link to choose one'}
        </Button>
      )}
      {send.isError ? (
        <Banner tone="bad" role="alert">
          {messageOf(send.error)}
        </Banner>
      ) : null}
    </>
  );
}
