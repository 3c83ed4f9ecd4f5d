import type { ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import type { resetPassword } from '#shared/contract/accounts.ts';
import type { RouteBodyInput } from '#shared/contract/route.ts';
import { Button } from '#web/components/ui/button.tsx';
import { TextField } from '#web/components/ui/field.tsx';
import { TrialNote } from '#web/components/ui/trial-note.tsx';
import { useChange } from '#web/lib/api/changes.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { showIssues } from '#web/lib/form-issues.ts';
import { lateCheck } from '#web/lib/loading/late-check.ts';
import { useSendOnce } from '#web/lib/sent-form.ts';
import { toast } from '#web/lib/toast.ts';
import { messageOf } from './sign-in.ts';

type Values = RouteBodyInput<typeof resetPassword>;

type ResetRequestProps = {
  /** Initial address: the one that the person typed to sign in. */
  email?: string;
  /** Called with the address at each change of the field. */
  onEmail?: (email: string) => void;
  /** Told the address once the mail is on its way. */
  onSent: (email: string) => void;
  onErrors: (hasErrors: boolean) => void;
  /** The way out, below the button. */
  back: ReactNode;
};

const check = lateCheck(async () => (await import('./sign-in-checks.ts')).resetCheck);

/** Asks for the mail that sets a new password. */
export function ResetRequest({ email = '', onEmail, onSent, onErrors, back }: ResetRequestProps) {
  const { register, handleSubmit, formState, setError } = useForm<Values>({
    resolver: check.resolver,
    defaultValues: { email },
  });
  const send = useChange(light.resetPassword, {
    onSuccess: (_, { body: { email } }) => {
      toast({ title: 'Reset Email Sent', description: 'Please check your email for password reset instructions.' });
      onSent(email);
    },
    onError: (error) => {
      const isAboutTheField = showIssues(error, ['email'], setError);
      onErrors(isAboutTheField);
      if (isAboutTheField) return;
      toast({ title: 'Reset Failed', description: messageOf(error), variant: 'destructive' });
    },
  });
  const { errors, isSubmitting } = formState;
  const submit = useSendOnce(handleSubmit, {
    send: (body) => send.mutateAsync({ body }),
    onErrors,
  });
  return (
    <form className="form" noValidate onSubmit={submit} onFocus={check.fetch}>
      <TextField
        label="Email"
        type="email"
        autoComplete="email"
        autoCapitalize="none"
        spellCheck={false}
        error={errors.email?.message}
        {...register('email', { onChange: ({ target }) => onEmail?.(target.value) })}
      />
      <Button type="submit" wide busy={isSubmitting}>
        {isSubmitting ? 'Sending...' : 'Send Reset Email'}
      </Button>
      {back}
    </form>
  );
}

/** Next steps after the reset mail was requested. The service never says if the address has an account. */
export function ResetSent({ email, back }: { email: string; back: ReactNode }) {
  return (
    <div className="form" role="status">
      <p>
        We have sent password reset instructions to <b>{email}</b>, if there is an account with that address. The link
        in the email works once, for one hour.
      </p>
      <TrialNote />
      <p className="quiet">Nothing there after a few minutes? Look in your spam folder.</p>
      {back}
    </div>
  );
}
