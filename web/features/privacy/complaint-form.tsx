import { useForm } from 'react-hook-form';
import type { z } from 'zod';
import type { User } from '#shared/contract/accounts.ts';
import type { complaintBody, sendComplaint } from '#shared/contract/complaints.ts';
import type { RouteResult } from '#shared/contract/route.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { ApiError } from '#web/lib/api/api.ts';
import { useChange } from '#web/lib/api/changes.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { useLeaveWarning } from '#web/lib/drafts/leave-warning.ts';
import { lateCheck } from '#web/lib/loading/late-check.ts';
import { useSendOnce } from '#web/lib/sent-form.ts';
import { ComplaintFields, sendWords } from './complaint-fields.tsx';

type Values = z.input<typeof complaintBody>;
type Answers = z.output<typeof complaintBody>;
export type Received = RouteResult<typeof sendComplaint>;

const check = lateCheck(async () => (await import('./complaint-check.ts')).complaintCheck);

type ComplaintFormProps = {
  /** Signed-in person, who need not give name and address again. */
  user: User | null;
  onReceived: (received: Received) => void;
  onErrors: (hasErrors: boolean) => void;
};

/** The text stays in memory only until it is sent. */
export function ComplaintForm({ user, onReceived, onErrors }: ComplaintFormProps) {
  const { register, handleSubmit, formState } = useForm<Values, unknown, Answers>({
    resolver: check.resolver,
    defaultValues: { ...knownFields(user), words: '' },
  });
  const send = useChange(light.sendComplaint, {
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
      <form className="complaint-form" noValidate onSubmit={submit} onFocus={check.fetch}>
        {send.isError ? (
          <Banner tone="bad" role="alert">
            {failureWords(send.error)}
          </Banner>
        ) : null}
        <ComplaintFields bind={register} errorOf={(field) => errors[field]?.message} />
        <div>
          <Button type="submit" busy={send.isPending}>
            {send.isPending ? 'Sending your complaint…' : sendWords}
          </Button>
        </div>
      </form>
    </Card>
  );
}

/** Name and address of a signed-in person. */
export function knownFields(user: Pick<User, 'email' | 'firstName' | 'lastName'> | null | undefined) {
  return { name: [user?.firstName, user?.lastName].filter(Boolean).join(' '), email: user?.email ?? '' };
}

/** The service's own sentence where it has one. */
export function failureWords(error: Error): string {
  const isSaid = error instanceof ApiError && (error.type !== undefined || error.status === 0 || error.isUnclear);
  return isSaid ? error.message : 'Your complaint could not be sent. What you typed is still here. Try again.';
}
