import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { phone, phoneWanted } from '#shared/contract/fields.ts';
import { updateUserProfile } from '#shared/contract/phone.ts';
import { NotConfirmedError } from '#web/components/fresh-sign-in/not-confirmed.ts';
import { useFreshSignIn } from '#web/components/fresh-sign-in/use-fresh-sign-in.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { TextField } from '#web/components/ui/field.tsx';
import { useChange } from '#web/lib/api/changes.ts';
import { useLeaveWarning } from '#web/lib/drafts/leave-warning.ts';
import { toast } from '#web/lib/toast.ts';
import { PhoneCode } from './phone-code.tsx';

/** The one call takes an empty number for none; here there is a button for that. */
const form = z.object({ phone: phone.refine((value) => value !== null, phoneWanted) });

type PhoneFacts = {
  kept: string | null;
  /** True if the code that was texted there was typed. */
  isProven: boolean;
  /** True if a code may be asked for: the email address is verified. */
  canBeTexted: boolean;
};

/** The number that reminders go to by text: to give one, change it, and take it back. */
export function ReminderPhone({ kept, isProven, canBeTexted }: PhoneFacts) {
  const client = useQueryClient();
  const { register, handleSubmit, formState, setError, reset } = useForm<
    z.input<typeof form>,
    unknown,
    z.output<typeof form>
  >({
    resolver: zodResolver(form),
    values: { phone: kept ?? '' },
  });
  useLeaveWarning(formState.isDirty);
  const { run, dialog } = useFreshSignIn('Save the number');
  const save = useChange(updateUserProfile, {
    through: run,
    onSuccess: async (saved) => {
      reset({ phone: saved.phone ?? '' });
      // The line of time and the session hold the number too.
      await client.invalidateQueries();
      toast(savedWords(saved));
    },
    onError: (error) => {
      if (!(error instanceof NotConfirmedError)) setError('phone', { message: error.message }, { shouldFocus: true });
    },
  });
  const isRemoving = save.isPending && save.variables.body.phone === null;
  const isSaving = save.isPending && !isRemoving;
  const keep = (number: string | null) => {
    if (!save.isPending) save.mutate({ body: { phone: number } });
  };
  const submit = handleSubmit((values) => keep(values.phone));
  return (
    <Card as="section" className="settings reminder-phone" id="phone" aria-labelledby="phone-title">
      <div>
        <h2 className="h-card" id="phone-title">
          Reminders by text
        </h2>
        <p className="quiet">
          {kept && isProven
            ? 'Each reminder goes to this number as a text, and to your email address.'
            : 'Reminders go to your email address. With a phone number that you have confirmed, each comes as a text, too.'}
        </p>
      </div>
      {kept && !isProven ? <PhoneCode key={kept} phone={kept} canBeTexted={canBeTexted} /> : null}
      <form className="stack" noValidate onSubmit={submit}>
        <TextField
          label="Phone number"
          type="tel"
          autoComplete="tel"
          error={formState.errors.phone?.message}
          {...register('phone')}
        />
        <AboutTexts />
        <div className="btns">
          <Button type="submit" variant="secondary" busy={save.isPending}>
            {isSaving ? 'Saving…' : 'Save the number'}
          </Button>
          {kept ? (
            <Button variant="text" busy={save.isPending} onClick={() => keep(null)}>
              {isRemoving ? 'Removing…' : 'Remove the number'}
            </Button>
          ) : null}
        </div>
      </form>
      {dialog}
    </Card>
  );
}

function AboutTexts() {
  return (
    <>
      <p className="quiet">
        We text you each reminder, and when somebody asks for a release or one begins. A text never says what you wrote,
        or to whom.
      </p>
      <p className="quiet">
        Reply YES to tell us that you are there. Reply STOP to end the texts, START to begin again.
      </p>
    </>
  );
}

function savedWords({ phone, isPhoneProven }: { phone: string | null; isPhoneProven: boolean }) {
  if (!phone) return { title: 'Number removed', description: 'Reminders go to your email address alone.' };
  const description = isPhoneProven
    ? `Reminders also go to ${phone} by text.`
    : `Reminders go to ${phone} once you have typed the code that we text there.`;
  return { title: 'Number saved', description };
}
