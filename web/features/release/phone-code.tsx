import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import type { z } from 'zod';
import {
  getUserProfile,
  type PhoneTrouble,
  phoneTroubleWords,
  resendPhoneCode,
  verifyPhone,
} from '#shared/contract/phone.ts';
import { Button } from '#web/components/ui/button.tsx';
import { TextField } from '#web/components/ui/field.tsx';
import { useChange } from '#web/lib/api/changes.ts';
import { useRead } from '#web/lib/api/reads.ts';
import { toast } from '#web/lib/toast.ts';

const form = verifyPhone.body;

/** A text is refused within seconds. After this time the page stops asking, so that it does not keep a session alive. */
const askedForMs = 60_000;
const askedEveryMs = 3_000;

/** Reason why the code can't arrive, once the service knows it. Call `askAgain` after another code was requested. */
function usePhoneTrouble(isCodeSent: boolean): { trouble: PhoneTrouble | null; askAgain: () => void } {
  const [since, setSince] = useState(() => Date.now());
  const { data, refetch } = useRead(getUserProfile, {
    enabled: isCodeSent,
    refetchOnMount: 'always',
    refetchInterval: ({ state }) =>
      !state.data?.phoneTrouble && Date.now() < since + askedForMs ? askedEveryMs : false,
    refetchIntervalInBackground: false,
  });
  const askAgain = () => {
    setSince(Date.now());
    void refetch();
  };
  return { trouble: data?.phoneTrouble ?? null, askAgain };
}

/** A number that is saved and not yet shown to be its owner's: the code of our text, and another text. */
export function PhoneCode({ phone, canBeTexted }: { phone: string; canBeTexted: boolean }) {
  const client = useQueryClient();
  const { register, handleSubmit, formState, setError, reset } = useForm<
    z.input<typeof form>,
    unknown,
    z.output<typeof form>
  >({ resolver: zodResolver(form), defaultValues: { code: '' } });
  const { trouble, askAgain } = usePhoneTrouble(canBeTexted);
  const fail = (error: Error) => setError('code', { message: error.message }, { shouldFocus: true });
  const prove = useChange(verifyPhone, {
    onSuccess: async () => {
      toast({ title: 'Number confirmed', description: `Reminders also go to ${phone} by text.` });
      await client.invalidateQueries();
    },
    onError: fail,
  });
  const resend = useChange(resendPhoneCode, {
    onSuccess: ({ message }) => {
      reset();
      askAgain();
      toast({ title: 'Code asked for', description: message });
    },
    onError: fail,
  });
  const isBusy = prove.isPending || resend.isPending;
  if (!canBeTexted) {
    return (
      <p className="quiet">
        <b>{phone} is not confirmed yet.</b> Confirm your email address first. Then we text you a code, and no text goes
        there before you have typed it.
      </p>
    );
  }
  return (
    <form
      className="stack"
      noValidate
      aria-label="Confirm the number"
      onSubmit={handleSubmit((body) => {
        if (!isBusy) prove.mutate({ body });
      })}
    >
      <CodeState phone={phone} trouble={trouble} />
      <TextField
        label="Code from the text"
        inputMode="numeric"
        autoComplete="one-time-code"
        hint="It is good for 10 minutes."
        error={formState.errors.code?.message}
        {...register('code')}
      />
      <div className="btns">
        <Button type="submit" busy={prove.isPending}>
          {prove.isPending ? 'Confirming…' : 'Confirm the number'}
        </Button>
        <Button variant="text" busy={resend.isPending} onClick={() => !isBusy && resend.mutate()}>
          {resend.isPending ? 'Sending…' : 'Text me a code'}
        </Button>
      </div>
    </form>
  );
}

function CodeState({ phone, trouble }: { phone: string; trouble: PhoneTrouble | null }) {
  if (trouble) {
    return (
      <p role="alert">
        <b>{phone} is not confirmed.</b> {phoneTroubleWords[trouble]}
      </p>
    );
  }
  return (
    <p>
      <b>{phone} is not confirmed yet.</b> We text you a code of six digits. Until you type it here, no reminder goes to
      this number, and an answer from it does not count.
    </p>
  );
}
