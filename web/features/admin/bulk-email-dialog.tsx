import { zodResolver } from '@hookform/resolvers/zod';
import { useEffect } from 'react';
import { useForm } from 'react-hook-form';
import type { z } from 'zod';
import { bulkEmailForm, bulkPerMinuteMax, nobodySelected, sendBulkEmail } from '#shared/contract/admin.ts';
import { Button } from '#web/components/ui/button.tsx';
import { Dialog } from '#web/components/ui/dialog.tsx';
import { TextAreaField, TextField } from '#web/components/ui/field.tsx';
import { call } from '#web/lib/api/api.ts';
import { useDraft } from '#web/lib/drafts/draft.ts';
import { counted } from '#web/lib/format.ts';
import { toast } from '#web/lib/toast.ts';
import { useAct } from './use-act.ts';
import { Refusal } from './user-dialogs.tsx';
import type { Selection } from './user-list.rules.ts';

type Values = z.infer<typeof bulkEmailForm>;

const empty: Values = { subject: '', message: '' };
const messageRows = 9;

type BulkEmailDialogProps = { selection: Selection; onClose: () => void; onSent: () => void };

/** News to the selected people. The draft is kept until it is sent. */
export function BulkEmailDialog({ selection, onClose, onSent }: BulkEmailDialogProps) {
  const { form, forget } = useNewsForm();
  const { register, handleSubmit, formState } = form;
  const send = useAct({
    act: (values: Values) => call(sendBulkEmail, { body: { ...values, recipients: [...selection.values()] } }),
    success: 'Bulk email sent successfully',
    fallback: 'Failed to send bulk email',
    onDone: () => {
      forget();
      onSent();
    },
  });
  const submit = handleSubmit((values) => {
    if (selection.size > 0) return send.perform(values);
    toast({ title: 'Error', description: nobodySelected, variant: 'destructive' });
  });
  const { errors } = formState;
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Write to ${counted(selection.size, 'person', 'people')}`}
      closesOutside={false}
    >
      <form className="dialog-body" noValidate onSubmit={submit}>
        <p className="quiet">
          Each gets a mail of their own that begins with their name and says how to stop the news. They go out at{' '}
          {bulkPerMinuteMax} a minute at most.
        </p>
        <TextField label="Subject" autoComplete="off" error={errors.subject?.message} {...register('subject')} />
        <TextAreaField
          label="Message"
          rows={messageRows}
          hint="An empty line begins a new paragraph."
          error={errors.message?.message}
          {...register('message')}
        />
        <Refusal error={send.error} />
        <div className="btns">
          <Button type="submit" busy={send.isBusy} disabled={selection.size === 0}>
            {send.isBusy ? 'Sending…' : 'Send the email'}
          </Button>
          <Button variant="secondary" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
      {send.dialog}
    </Dialog>
  );
}

/** The form, whose words outlive a reload, encrypted on this device. */
function useNewsForm() {
  const draft = useDraft<Values>('bulk-email', empty, { secret: true });
  const form = useForm<Values>({ resolver: zodResolver(bulkEmailForm), defaultValues: empty });
  const { watch, reset } = form;
  const { setValue, clear } = draft;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the draft changes with every key, and only its first arrival may replace what is on the page.
  useEffect(() => {
    if (draft.isRestored) reset(draft.value, { keepDefaultValues: true });
  }, [draft.isRestored, reset]);

  useEffect(() => {
    const subscription = watch((values, { name }) => {
      // Without a field it is the whole form being filled in by us.
      if (name !== undefined) setValue({ ...empty, ...values });
    });
    return () => subscription.unsubscribe();
  }, [watch, setValue]);

  return { form, forget: clear };
}
