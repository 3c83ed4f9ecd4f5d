import { useForm } from 'react-hook-form';
import type { z } from 'zod';
import type { completeResetPassword, newPasswordForm } from '#shared/contract/accounts.ts';
import type { RouteResult } from '#shared/contract/route.ts';
import { Button } from '#web/components/ui/button.tsx';
import { useChange } from '#web/lib/api/changes.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { showIssues } from '#web/lib/form-issues.ts';
import { lateCheck } from '#web/lib/loading/late-check.ts';
import { useSendOnce } from '#web/lib/sent-form.ts';
import { isDeadLink } from './dead-link.ts';
import { NewPasswordFields } from './new-password-fields.tsx';

/** Answer with the fate of the account's content: deleted, or kept although its author is unknown. */
export type ResetAnswer = RouteResult<typeof completeResetPassword>;

type Values = z.infer<typeof newPasswordForm>;

const check = lateCheck(async () => (await import('./sign-in-checks.ts')).newPasswordCheck);

type NewPasswordFormProps = {
  token: string;
  onChanged: (answer: ResetAnswer) => void;
  /** The link has been used, is too old, or was never ours. */
  onDeadLink: () => void;
  onErrors: (hasErrors: boolean) => void;
};

/** The end of a reset: a new password, typed twice. */
export function NewPasswordForm({ token, onChanged, onDeadLink, onErrors }: NewPasswordFormProps) {
  const { register, handleSubmit, formState, watch, setError } = useForm<Values>({
    resolver: check.resolver,
    defaultValues: { password: '', confirmPassword: '' },
  });
  const change = useChange(light.completeResetPassword, {
    onSuccess: onChanged,
    onError: (error) => {
      const isAboutTheFields = showIssues(error, ['password', 'confirmPassword'], setError);
      onErrors(isAboutTheFields);
      if (!isAboutTheFields && isDeadLink(error)) onDeadLink();
    },
  });
  const submit = useSendOnce(handleSubmit, {
    send: (values) => change.mutateAsync({ body: { token, ...values } }),
    onErrors,
  });
  const { errors, isSubmitting } = formState;
  return (
    <form className="form" noValidate onSubmit={submit} onFocus={check.fetch}>
      <NewPasswordFields
        password={register('password', { deps: formState.isSubmitted ? ['confirmPassword'] : [] })}
        confirmPassword={register('confirmPassword')}
        typed={watch('password')}
        errors={errors}
        failure={change.error}
      />
      <Button type="submit" wide busy={isSubmitting}>
        {isSubmitting ? 'Saving…' : 'Save the new password'}
      </Button>
    </form>
  );
}
