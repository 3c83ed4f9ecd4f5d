import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import type { z } from 'zod';
import type { User } from '#shared/contract/accounts.ts';
import { complaintBody, complaintWordsLengthMax, sendComplaint } from '#shared/contract/complaints.ts';
import type { RouteResult } from '#shared/contract/route.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { TextAreaField, TextField } from '#web/components/ui/field.tsx';
import { ApiError } from '#web/lib/api/api.ts';
import { useChange } from '#web/lib/api/changes.ts';
import { useLeaveWarning } from '#web/lib/drafts/leave-warning.ts';
import { useSendOnce } from '#web/lib/sent-form.ts';

type Values = z.input<typeof complaintBody>;
type Answers = z.output<typeof complaintBody>;
export type Received = RouteResult<typeof sendComplaint>;

type ComplaintFormProps = {
  /** Signed-in person, who need not give name and address again. */
  user: User | null;
  onReceived: (received: Received) => void;
  onErrors: (hasErrors: boolean) => void;
};

/** The text stays in memory only until it is sent. */
export function ComplaintForm({ user, onReceived, onErrors }: ComplaintFormProps) {
  const name = [user?.firstName, user?.lastName].filter(Boolean).join(' ');
  const { register, handleSubmit, formState } = useForm<Values, unknown, Answers>({
    resolver: zodResolver(complaintBody),
    defaultValues: { name, email: user?.email ?? '', words: '' },
  });
  const send = useChange(sendComplaint, {
    onSuccess: onReceived,
    onError: () => onErrors(true),
  });
  useLeaveWarning(formState.isDirty && !send.isSuccess);
  const submit = useSendOnce(handleSubmit, {
    send: (body) => send.mutateAsync({ body }),
    onErrors,
  });
  const { errors } = formState;
  return (
    <Card as="section" aria-label="Your complaint">
      <form className="complaint-form" noValidate onSubmit={submit}>
        {send.isError ? (
          <Banner tone="bad" role="alert">
            {failureWords(send.error)}
          </Banner>
        ) : null}
        <TextField
          label="Your name *"
          autoComplete="name"
          required
          error={errors.name?.message}
          {...register('name')}
        />
        <TextField
          label="Your email *"
          type="email"
          autoComplete="email"
          autoCapitalize="none"
          spellCheck={false}
          required
          hint="The receipt and our answer go here"
          error={errors.email?.message}
          {...register('email')}
        />
        <TextAreaField
          label="What is wrong *"
          hint="What happened, when, and what you would like us to do. Do not write passwords here."
          rows={8}
          required
          maxLength={complaintWordsLengthMax}
          error={errors.words?.message}
          {...register('words')}
        />
        <div>
          <Button type="submit" busy={send.isPending}>
            {send.isPending ? 'Sending your complaint…' : 'Send the complaint'}
          </Button>
        </div>
      </form>
    </Card>
  );
}

/** The service's own sentence where it has one. */
function failureWords(error: Error): string {
  const isSaid = error instanceof ApiError && (error.type !== undefined || error.status === 0);
  return isSaid ? error.message : 'Your complaint could not be sent. What you typed is still here. Try again.';
}
