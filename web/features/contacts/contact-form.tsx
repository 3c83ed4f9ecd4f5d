import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import type { z } from 'zod';
import {
  contactBody,
  contactWordLengthMax,
  createContact,
  type TrustedContact,
  updateContact,
} from '#shared/contract/contacts.ts';
import { addressIn } from '#shared/rules/addresses/written-address.ts';
import { firstNameOf } from '#shared/rules/names.ts';
import { NotConfirmedError } from '#web/components/fresh-sign-in/not-confirmed.ts';
import { useFreshSignIn } from '#web/components/fresh-sign-in/use-fresh-sign-in.tsx';
import { InvitationCopy } from '#web/components/letter/invitation-copy.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { CheckboxField, TextAreaField, TextField } from '#web/components/ui/field.tsx';
import { call } from '#web/lib/api/api.ts';
import { useKeptForm } from '#web/lib/drafts/kept-form.ts';
import { useLeaveWarning } from '#web/lib/drafts/leave-warning.ts';
import { showIssues } from '#web/lib/form-issues.ts';
import { longDate } from '#web/lib/format.ts';
import { toast } from '#web/lib/toast.ts';

type Values = z.input<typeof contactBody>;
type Answers = z.output<typeof contactBody>;

type ContactFormProps = {
  /** The contact to change; a new one is named without it. */
  contact?: TrustedContact | undefined;
  /** Whether an invitation can go out at once. */
  isVerified: boolean;
  /** As the email names them: the first name of the owner. */
  ownerName: string;
  onSaved: () => void;
  onCancel: () => void;
};

const empty: Values = { name: '', email: '', phone: '', relationship: '', isActive: true, word: '' };

/** Name, address and relationship of somebody who would know. */
export function ContactForm({ contact, isVerified, ownerName, onSaved, onCancel }: ContactFormProps) {
  const { form, forget } = useKeptForm<Values, Answers>({
    draftName: `contact:${contact?.id ?? 'new'}`,
    schema: contactBody,
    initial: contact ? valuesOf(contact) : empty,
  });
  const { handleSubmit, formState, watch } = form;
  const save = useSaveContact({
    contact,
    isVerified,
    showProblem: (error) => showIssues(error, ['name', 'email', 'phone', 'relationship', 'word'], form.setError),
    onSaved: () => {
      forget();
      onSaved();
    },
  });
  useLeaveWarning(formState.isDirty && !save.isDone);
  const isOtherAddress = contact !== undefined && addressIn(watch('email')) !== contact.email;
  const isNew = contact === undefined;
  const to = firstNameOf(watch('name'));
  const submit = handleSubmit((values) => {
    if (!save.isBusy) save.save(values);
  });
  return (
    <>
      <form className={isNew ? 'contact-form contact-asks' : 'contact-form'} noValidate onSubmit={submit}>
        <div className="contact-form">
          <ContactFields form={form} isOtherAddress={isOtherAddress} isAsked={isNew || isOtherAddress} />
          {save.problem ? (
            <Banner tone="bad" role="alert">
              {save.problem} What you typed is still here.
            </Banner>
          ) : null}
          {isNew ? <WhatAddDoes to={to} isVerified={isVerified} /> : null}
          <div className="btns">
            <Button type="submit" busy={save.isBusy}>
              {save.isBusy ? 'Saving…' : contact ? 'Save the changes' : 'Add Contact'}
            </Button>
            <Button variant="secondary" onClick={onCancel}>
              Cancel
            </Button>
          </div>
        </div>
        {isNew ? <AsItArrives to={to} ownerName={ownerName} word={watch('word') ?? ''} /> : null}
      </form>
      {save.dialog}
    </>
  );
}

type FieldsProps = { form: UseFormReturn<Values, unknown, Answers>; isOtherAddress: boolean; isAsked: boolean };

function ContactFields({ form: { register, formState }, isOtherAddress, isAsked }: FieldsProps) {
  const { errors } = formState;
  return (
    <>
      <TextField label="Full Name *" autoComplete="off" required error={errors.name?.message} {...register('name')} />
      <TextField
        label="Email Address *"
        type="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
        hint={isOtherAddress ? 'A new address is asked again; the old yes no longer counts.' : undefined}
        error={errors.email?.message}
        {...register('email')}
      />
      <TextField
        label="Relationship"
        autoComplete="off"
        hint="Such as sister, friend or solicitor"
        error={errors.relationship?.message}
        {...register('relationship')}
      />
      <TextField label="Phone" type="tel" autoComplete="off" error={errors.phone?.message} {...register('phone')} />
      {isAsked ? (
        <TextAreaField
          label="A word from you (optional)"
          hint="It comes last in the email, marked as yours. Leave out links and phone numbers."
          rows={2}
          maxLength={contactWordLengthMax}
          error={errors.word?.message}
          {...register('word')}
        />
      ) : null}
      <CheckboxField label="Ask this person when a release is due" {...register('isActive')} />
    </>
  );
}

/** The email as it arrives, and what follows a yes and a no. */
function AsItArrives({ to, ownerName, word }: { to: string; ownerName: string; word: string }) {
  return (
    <div className="contact-copy">
      <InvitationCopy to={to} from={ownerName} word={word} />
      <dl className="contact-then">
        <dt>If it is a yes</dt>
        <dd>
          {to || 'They'} {to ? 'gets' : 'get'} an email to keep, with what to do if something happens to you.
        </dd>
        <dt>If it is a no</dt>
        <dd>You hear it from us. We don’t ask {to || 'them'} again.</dd>
      </dl>
    </div>
  );
}

/** What the press causes, before it is made. */
function WhatAddDoes({ to, isVerified }: { to: string; isVerified: boolean }) {
  return (
    <p>
      {isVerified ? (
        <b>We email {to || 'them'} as soon as you press Add Contact</b>
      ) : (
        <b>We email {to || 'them'} once your own address is confirmed</b>
      )}
      , and ask for a yes or a no. If you signed in a while ago, we ask for your password first.
    </p>
  );
}

/** Saves, after a fresh sign-in where the service wants one. */
function useSaveContact({
  contact,
  isVerified,
  showProblem,
  onSaved,
}: Omit<ContactFormProps, 'onCancel' | 'ownerName'> & {
  /** Puts an error beside its field. False if it is about none. */
  showProblem: (error: Error) => boolean;
}) {
  const client = useQueryClient();
  const [isAtField, setAtField] = useState(false);
  const { run, dialog } = useFreshSignIn(contact ? 'Save the changes' : 'Add the contact');
  const save = useMutation({
    mutationFn: (body: Answers) =>
      run(() => (contact ? call(updateContact, { params: { id: contact.id }, body }) : call(createContact, { body }))),
    onSuccess: ({ invitationLeavesAt }, { name }) => {
      const invitedAtOnce = isVerified
        ? `${name} has been sent an invitation.`
        : `${name} is invited as soon as your email is verified.`;
      const invited = invitationLeavesAt
        ? `We send only a few invitations at a time: ${name} is invited on ${longDate(invitationLeavesAt)}.`
        : invitedAtOnce;
      toast(
        contact
          ? { title: 'Contact Updated', description: 'Your changes have been saved.' }
          : { title: 'Contact Added', description: invited },
      );
      onSaved();
      client.invalidateQueries();
    },
    onError: (error) => {
      const isShown = showProblem(error);
      setAtField(isShown);
      if (error instanceof NotConfirmedError || isShown) return;
      toast({
        title: 'Error',
        description: contact
          ? 'Failed to update trusted contact. Please try again.'
          : 'Failed to add trusted contact. Please try again.',
        variant: 'destructive',
      });
    },
  });
  const problem = isAtField || save.error instanceof NotConfirmedError ? undefined : save.error?.message;
  return { save: save.mutate, isBusy: save.isPending, isDone: save.isSuccess, problem, dialog };
}

function valuesOf({ name, email, phone, relationship, isActive }: TrustedContact): Values {
  return { name, email, phone: phone ?? '', relationship: relationship ?? '', isActive, word: '' };
}
