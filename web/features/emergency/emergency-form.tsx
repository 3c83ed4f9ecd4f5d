import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import type { z } from 'zod';
import { activateEmergency, emergencyBody } from '#shared/contract/release/emergency.ts';
import { reasonLengthMax } from '#shared/rules/release-answers.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { TextAreaField, TextField } from '#web/components/ui/field.tsx';
import { ApiError } from '#web/lib/api/api.ts';
import { useChange } from '#web/lib/api/changes.ts';
import { useLeaveWarning } from '#web/lib/drafts/leave-warning.ts';
import { showIssues } from '#web/lib/form-issues.ts';
import { useSendOnce } from '#web/lib/sent-form.ts';

type Values = z.input<typeof emergencyBody>;
type Answers = z.output<typeof emergencyBody>;

const fieldNames = ['userEmail', 'contactEmail', 'contactName', 'reason'] as const;

type EmergencyFormProps = {
  /** Told what the service says; it says the same to everybody. */
  onSubmitted: (message: string) => void;
  onErrors: (hasErrors: boolean) => void;
};

/** Asks for an early release. The text stays in memory only, because it may describe an accident or a death. */
export function EmergencyForm({ onSubmitted, onErrors }: EmergencyFormProps) {
  const { register, handleSubmit, formState, setError } = useForm<Values, unknown, Answers>({
    resolver: zodResolver(emergencyBody),
    defaultValues: { userEmail: '', contactEmail: '', contactName: '', reason: '' },
  });
  const send = useChange(activateEmergency, {
    onSuccess: ({ message }) => onSubmitted(message),
    onError: (error) => {
      onErrors(true);
      showIssues(error, fieldNames, setError);
    },
  });
  useLeaveWarning(formState.isDirty && !send.isSuccess);
  const submit = useSendOnce(handleSubmit, {
    send: (body) => send.mutateAsync({ body }),
    onErrors,
  });
  const { errors } = formState;
  const address = { type: 'email', autoCapitalize: 'none', spellCheck: false, required: true } as const;
  return (
    <Card as="section" aria-label="Your request">
      <form className="emergency-form" noValidate onSubmit={submit}>
        {send.isError ? (
          <Banner tone="bad" role="alert">
            {failureWords(send.error)}
          </Banner>
        ) : null}
        <TextField
          label="Account holder’s email *"
          hint="The person whose messages you ask us to release. Another spelling of the same mailbox works too, such as googlemail.com for gmail.com"
          autoComplete="off"
          error={errors.userEmail?.message}
          {...address}
          {...register('userEmail')}
        />
        <TextField
          label="Your email *"
          hint="Must match the registered trusted-contact email"
          autoComplete="email"
          error={errors.contactEmail?.message}
          {...address}
          {...register('contactEmail')}
        />
        <TextField
          label="Your full name *"
          autoComplete="name"
          required
          error={errors.contactName?.message}
          {...register('contactName')}
        />
        <TextAreaField
          label="Reason *"
          hint="What has happened, and how you know. At least 10 characters. The account holder can read it."
          rows={5}
          required
          maxLength={reasonLengthMax}
          error={errors.reason?.message}
          {...register('reason')}
        />
        <div>
          <Button type="submit" busy={send.isPending}>
            {send.isPending ? 'Sending the request…' : 'Send the request'}
          </Button>
        </div>
      </form>
    </Card>
  );
}

/** The service's own sentence where it has one. */
export function failureWords(error: Error): string {
  if (!(error instanceof ApiError)) return 'An unexpected error occurred';
  if (error.status === 0) return `Failed to submit emergency activation request. ${error.message}`;
  return error.type === undefined ? 'Failed to submit emergency activation request' : error.message;
}
