import { useCallback, useEffect, useRef } from 'react';
import { flushSync } from 'react-dom';
import type { UseFormReturn } from 'react-hook-form';
import type { Message } from '#shared/contract/messages.ts';
import { clearDraft } from '#web/lib/drafts/draft-store.ts';
import { type KeptForm, useKeptForm } from '#web/lib/drafts/kept-form.ts';
import { whenFieldsOf } from '#web/lib/own-day.ts';
import { plainRelation } from '#web/lib/reader-names.ts';
import { useVaultDraft, type VaultDraft } from './drafts/use-vault-draft.ts';
import { followGreeting, greetingOf } from './greeting.rules.ts';
import { type Writing, type WritingInput, writingForm } from './writing.ts';

export type MessageFormFields = UseFormReturn<WritingInput, unknown, Writing>;

/** The drafts on this device and in the vault are discarded and restarted together. */
export type MessageFormState = Omit<KeptForm<WritingInput, Writing>, 'forget'> & {
  /** Resolves when no draft is left on this device. */
  forget: () => Promise<void>;
  inVaultAtMs: number | undefined;
  /** Version from another device. Undefined if there is nothing to choose. */
  other: VaultDraft['other'];
  goOnWith: (which: 'these' | 'other') => void;
};

export const nobodyYet = { name: '', relation: '', email: '' };

const empty: WritingInput = {
  title: '',
  content: '',
  recipients: [nobodyYet],
  showRecipients: false,
  when: 'once',
  day: '',
  months: '',
  announceWait: false,
  category: 'personal',
  status: 'draft',
  visibleToTrustedContact: false,
  attachmentTranscript: '',
  isSealed: false,
  passphrase: '',
  hint: '',
  locked: null,
};

/** The form of a message, new or saved. */
export function useMessageForm(message: Message | undefined): MessageFormState {
  const draftName = `message:${message?.id ?? 'new'}`;
  const kept = useKeptForm<WritingInput, Writing>({
    draftName,
    schema: writingForm,
    initial: message ? valuesOf(message) : empty,
    keep: withoutPassphrase,
  });
  useGreeting(kept.form);
  const inVault = useVaultDraft(message, kept);
  const vault = useRef(inVault);
  vault.current = inVault;
  const { form, forget } = kept;
  return {
    ...kept,
    inVaultAtMs: inVault.keptAtMs,
    other: inVault.other,
    goOnWith: (which) => {
      // The form is there again before the focus is to go to it.
      flushSync(() => inVault.choose(which));
      form.setFocus('content');
    },
    forget: useCallback(async () => {
      vault.current.forget();
      forget();
      await clearDraft(draftName);
    }, [forget, draftName]),
    startAgain: () => {
      inVault.forget();
      kept.startAgain();
    },
  };
}

/** The greeting follows the names, until its writer changes it. */
function useGreeting({ watch, getValues, setValue }: MessageFormFields): void {
  useEffect(() => {
    const greetingNow = () => greetingOf(getValues('recipients'), getValues('showRecipients') ?? false);
    let before = greetingNow();
    let wasTaken = false;
    const subscription = watch((_, { name }) => {
      const after = greetingNow();
      if (after === before) return;
      const content = getValues('content');
      const followed = followGreeting(content, { before, after, wasTaken });
      wasTaken = after === '' && followed !== content;
      before = after;
      // Without a field it is the whole form being filled in by us, as it was left.
      if (name !== undefined && followed !== content) setValue('content', followed, { shouldDirty: true });
    });
    return () => subscription.unsubscribe();
  }, [watch, getValues, setValue]);
}

/** A passphrase is never kept anywhere. */
function withoutPassphrase(values: WritingInput): WritingInput {
  return { ...values, passphrase: '' };
}

/** A saved message as its form shows it. */
export function valuesOf(message: Message): WritingInput {
  const {
    title,
    content,
    showRecipients,
    deliverOn,
    announceWait,
    category,
    visibleToTrustedContact,
    encryptedContent,
    attachmentTranscript,
    version,
  } = message;
  const recipients = message.recipients.map(({ name, relation, email }) => ({
    name: name ?? '',
    relation: plainRelation(relation),
    email,
  }));
  const seal = {
    isSealed: encryptedContent !== null,
    hint: encryptedContent?.hint ?? '',
    // Held as it came, until its writer opens it.
    locked: encryptedContent,
  };
  const when = { ...whenFieldsOf(deliverOn), announceWait };
  const said = { attachmentTranscript: attachmentTranscript ?? '' };
  return {
    ...empty,
    ...when,
    ...said,
    version,
    title,
    content,
    recipients,
    showRecipients,
    category,
    visibleToTrustedContact,
    ...seal,
  };
}
