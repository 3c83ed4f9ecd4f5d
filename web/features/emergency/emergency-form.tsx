import { useForm } from 'react-hook-form';
import type { z } from 'zod';
import type { emergencyBody } from '#shared/contract/release/emergency.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { ApiError } from '#web/lib/api/api.ts';
import { useChange } from '#web/lib/api/changes.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { useLeaveWarning } from '#web/lib/drafts/leave-warning.ts';
import { showIssues } from '#web/lib/form-issues.ts';
import { lateCheck } from '#web/lib/loading/late-check.ts';
import { useSendOnce } from '#web/lib/sent-form.ts';
import { EmergencyFields, fieldNames, sendWords } from './emergency-fields.tsx';

type Values = z.input<typeof emergencyBody>;
type Answers = z.output<typeof emergencyBody>;

const check = lateCheck(async () => (await import('./emergency-check.ts')).emergencyCheck);

type EmergencyFormProps = {
  /** Told what the service says; it says the same to everybody. */
  onSubmitted: (message: string) => void;
  onErrors: (hasErrors: boolean) => void;
};

/** Asks for an early release. The text stays in memory only, because it may describe an accident or a death. */
export function EmergencyForm({ onSubmitted, onErrors }: EmergencyFormProps) {
  const { register, handleSubmit, formState, setError } = useForm<Values, unknown, Answers>({
    resolver: check.resolver,
    defaultValues: { userEmail: '', contactEmail: '', contactName: '', reason: '' },
  });
  const send = useChange(light.activateEmergency, {
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
  return (
    <Card as="section" aria-label="Your request">
      <form className="emergency-form" noValidate onSubmit={submit} onFocus={check.fetch}>
        {send.isError ? (
          <Banner tone="bad" role="alert">
            {failureWords(send.error)}
          </Banner>
        ) : null}
        <EmergencyFields bind={register} errorOf={(name) => errors[name]?.message} />
        <div>
          <Button type="submit" busy={send.isPending}>
            {send.isPending ? 'Sending the request…' : sendWords}
          </Button>
        </div>
      </form>
    </Card>
  );
}

/** The service's own sentence where it has one. */
export function failureWords(error: Error): string {
  if (!(error instanceof ApiError)) return 'An unexpected error occurred';
  if (error.isUnclear) return `An unexpected error occurred. ${error.message}`;
  if (error.status === 0) return `Failed to submit emergency activation request. ${error.message}`;
  return error.type === undefined ? 'Failed to submit emergency activation request' : error.message;
}
