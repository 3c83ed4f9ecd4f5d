import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { changePassword, newPasswordForm } from '#shared/contract/accounts.ts';
import { Button } from '#web/components/ui/button.tsx';
import { PasswordField } from '#web/components/ui/field.tsx';
import { useChange } from '#web/lib/api/changes.ts';
import { showIssues } from '#web/lib/form-issues.ts';
import { useSendOnce } from '#web/lib/sent-form.ts';
import { sessionKey } from '#web/lib/session.ts';
import { toast } from '#web/lib/toast.ts';
import { NewPasswordFields } from './new-password-fields.tsx';

const given = z.object({ currentPassword: z.string().min(1, 'Type the password you were given') });
const firstPasswordForm = z.intersection(given, newPasswordForm);
type Values = z.infer<typeof firstPasswordForm>;

const fields = ['currentPassword', 'password', 'confirmPassword'] as const;

/** A password of one's own in place of the one an administrator set. The account opens with it. */
export function FirstPasswordForm({ onErrors }: { onErrors: (hasErrors: boolean) => void }) {
  const client = useQueryClient();
  const { register, handleSubmit, formState, watch, setError } = useForm<Values>({
    resolver: zodResolver(firstPasswordForm),
    defaultValues: { currentPassword: '', password: '', confirmPassword: '' },
  });
  const change = useChange(changePassword, {
    through: async (attempt) => {
      // The session gets a new cookie; a question that is still under way would come back as that of a stranger.
      await client.cancelQueries();
      return attempt();
    },
    onSuccess: async () => {
      toast({ title: 'Your password is changed', description: 'Your account is open.' });
      await client.invalidateQueries({ queryKey: sessionKey });
    },
    onError: (error) => onErrors(showIssues(error, fields, setError)),
  });
  const submit = useSendOnce(handleSubmit, {
    send: (body) => change.mutateAsync({ body }),
    onErrors,
  });
  const { errors } = formState;
  return (
    <form className="form" noValidate onSubmit={submit}>
      <PasswordField
        label="The password you were given"
        autoComplete="current-password"
        error={errors.currentPassword?.message}
        {...register('currentPassword')}
      />
      <NewPasswordFields
        password={register('password', { deps: formState.isSubmitted ? ['confirmPassword'] : [] })}
        confirmPassword={register('confirmPassword')}
        typed={watch('password')}
        errors={errors}
        failure={change.error}
      />
      <Button type="submit" wide busy={change.isPending}>
        {change.isPending ? 'Saving…' : 'Save and go on'}
      </Button>
    </form>
  );
}
