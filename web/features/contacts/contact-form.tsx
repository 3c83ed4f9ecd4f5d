import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { flushSync } from 'react-dom';
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
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { CheckboxField, TextAreaField, TextField } from '#web/components/ui/field.tsx';
import {
  comparedFields,
  FieldList,
  savedElsewhere,
  TwoVersions,
  thisWindow,
  titleFrom,
  type Which,
} from '#web/components/versions/two-versions.tsx';
import { call } from '#web/lib/api/api.ts';
import { failureWords, isUnclear, unclearWords } from '#web/lib/api/saves.ts';
import { useSaves } from '#web/lib/api/use-saves.ts';
import { clearDraft } from '#web/lib/drafts/draft-store.ts';
import { useKeptForm } from '#web/lib/drafts/kept-form.ts';
import { useLeaveWarning } from '#web/lib/drafts/leave-warning.ts';
import { showIssues } from '#web/lib/form-issues.ts';
import { longDate } from '#web/lib/format.ts';
import { toast } from '#web/lib/toast.ts';
import { AsItArrives, WhatAddDoes } from './contact-copy.tsx';

type Values = z.input<typeof contactBody>;
type Answers = z.output<typeof contactBody>;

type ContactFormProps = {
  /** The contact to change; a new one is named without it. */
  contact?: TrustedContact | undefined;
  /** True if an invitation can go out at once. */
  isVerified: boolean;
  /** Name of the owner, as the email has it. */
  ownerName: { name: string; firstName: string };
  onSaved: () => void;
  /** Told of the contact that another device has saved, to be shown in place of this form. */
  onReplaced: (saved: TrustedContact) => void;
  onCancel: () => void;
};

const empty: Values = {
  name: '',
  email: '',
  phone: '',
  relationship: '',
  isActive: true,
  seesFirstWeeks: false,
  word: '',
};

/** Name, address and relationship of a contact. */
export function ContactForm({ contact, isVerified, ownerName, onSaved, onReplaced, onCancel }: ContactFormProps) {
  const draftName = `contact:${contact?.id ?? 'new'}`;
  const { form, forget } = useKeptForm<Values, Answers>({
    draftName,
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
  const choose = async (which: Which) => {
    if (which === 'other' && save.conflict) {
      forget();
      await clearDraft(draftName);
      return onReplaced(save.conflict);
    }
    // The form is there again before the focus is to go to it.
    flushSync(() => save.keepMine());
    form.setValue('version', save.conflict?.version);
    form.setFocus('name');
  };
  return (
    <>
      {save.conflict ? <TwoContacts these={form.getValues()} other={save.conflict} onChoose={choose} /> : null}
      <form
        hidden={save.conflict !== undefined}
        className={isNew ? 'contact-form contact-asks' : 'contact-form'}
        noValidate
        onSubmit={submit}
      >
        <div className="contact-form">
          <ContactFields form={form} isOtherAddress={isOtherAddress} isAsked={isNew || isOtherAddress} />
          {save.problem ? (
            <Banner tone="bad" role="alert">
              {save.problem}
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
      <CheckboxField
        label="After a release, show this person my page for the first weeks"
        hint="Where the will is, whom to tell, and what else you noted."
        {...register('seesFirstWeeks')}
      />
    </>
  );
}

type TwoContactsProps = { these: Values; other: TrustedContact; onChoose: (which: Which) => void };

/** One contact that was changed in two places: both as they are, and the choice. */
function TwoContacts({ these, other, onChoose }: TwoContactsProps) {
  const fields = comparedFields<Values>(these, { ...valuesOf(other), word: these.word }, [
    { label: 'Full Name', of: ({ name }) => name },
    { label: 'Email Address', of: ({ email }) => email },
    { label: 'Relationship', of: ({ relationship }) => relationship ?? '' },
    { label: 'Phone', of: ({ phone }) => phone ?? '' },
    { label: 'Asked when a release is due', of: ({ isActive }) => (isActive ? 'Yes' : 'No') },
    { label: 'Sees the page for the first weeks', of: ({ seesFirstWeeks }) => (seesFirstWeeks ? 'Yes' : 'No') },
  ]);
  return (
    <TwoVersions
      title="This contact was changed in another window or on another device"
      text={savedElsewhere}
      these={{ title: thisWindow, children: <FieldList fields={fields.these} /> }}
      other={{ title: titleFrom('Saved elsewhere', other.updatedAt), children: <FieldList fields={fields.other} /> }}
      onChoose={onChoose}
    />
  );
}

type Saving = Pick<ContactFormProps, 'contact' | 'isVerified' | 'onSaved'> & {
  /** Puts an error beside its field. False if it is about none. */
  showProblem: (error: Error) => boolean;
};

/** Saves, after a fresh sign-in where the service wants one. */
function useSaveContact({ contact, isVerified, showProblem, onSaved }: Saving) {
  const client = useQueryClient();
  const [isAtField, setAtField] = useState(false);
  const { run, dialog } = useFreshSignIn(contact ? 'Save the changes' : 'Add the contact');
  const { saves, conflict, isConflict, keepMine } = useSaves(contact);
  const save = useMutation({
    mutationFn: (body: Answers) =>
      run(() => saves.save(body, (base, changeKey) => storeContact(base, body, changeKey), body.version)),
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
      if (isConflict(error)) return;
      const isShown = showProblem(error);
      setAtField(isShown);
      if (error instanceof NotConfirmedError || isShown) return;
      const failed = contact
        ? 'Failed to update trusted contact. Please try again.'
        : 'Failed to add trusted contact. Please try again.';
      toast({
        title: 'Error',
        description: isUnclear(error) ? unclearWords : failed,
        variant: 'destructive',
      });
    },
  });
  const goOnWithMine = () => {
    keepMine();
    save.reset();
  };
  const isSaid = isAtField || !save.error || save.error instanceof NotConfirmedError;
  const problem = isSaid ? undefined : failureWords(save.error);
  return {
    ...{ save: save.mutate, isBusy: save.isPending, isDone: save.isSuccess },
    ...{ problem, conflict, keepMine: goOnWithMine, dialog },
  };
}

function storeContact(base: TrustedContact | undefined, body: Answers, changeKey: string): Promise<TrustedContact> {
  if (!base) return call(createContact, { body, changeKey });
  const { id, version } = base;
  return call(updateContact, { params: { id }, body: { ...body, version }, changeKey });
}

function valuesOf({ phone, relationship, ...contact }: TrustedContact): Values {
  const { name, email, isActive, seesFirstWeeks, version } = contact;
  const words = { name, email, phone: phone ?? '', relationship: relationship ?? '', word: '' };
  return { ...words, isActive, seesFirstWeeks, version };
}
