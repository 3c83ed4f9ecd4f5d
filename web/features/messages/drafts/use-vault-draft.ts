import { useEffect, useRef, useState } from 'react';
import { type LetterDraft, newLetterKey } from '#shared/contract/letters/drafts.ts';
import type { Message } from '#shared/contract/messages.ts';
import type { KeptForm } from '#web/lib/drafts/kept-form.ts';
import { useSession } from '#web/lib/session.ts';
import type { Writing, WritingInput } from '../writing.ts';
import { contentOf, writingOf } from './draft-content.ts';
import { createDraftSync, type DraftSync } from './draft-sync.ts';

export type VaultDraft = {
  /** Time at which the vault had the newest words of the page. Undefined while it has not. */
  keptAtMs: number | undefined;
  /** Version of the letter from another device. Undefined if there is nothing to choose. */
  other: { writing: WritingInput; updatedAt: string } | undefined;
  choose: (which: 'these' | 'other') => void;
  /** Deletes the draft from the vault: the letter was saved or discarded. */
  forget: () => void;
};

/** Keeps the words in the vault too, so that another device can continue. Sealed letters are left out. */
export function useVaultDraft(message: Message | undefined, state: KeptForm<WritingInput, Writing>): VaultDraft {
  const { form, isLoaded, adopt, startAgain } = state;
  const { isVerified } = useSession();
  const [keptAtMs, setKeptAtMs] = useState<number>();
  const [other, setOther] = useState<LetterDraft>();
  const sync = useRef<DraftSync>(undefined);
  const isSealed = form.watch('isSealed') ?? false;
  const isOn = isVerified && isLoaded && !message?.encryptedContent;
  const key = message?.id ?? newLetterKey;

  useEffect(() => {
    if (!isOn) return;
    const { getValues, watch, formState } = form;
    const saved = contentOf(formState.defaultValues as WritingInput);
    const now = createDraftSync({
      key,
      current: () => {
        const content = contentOf(getValues());
        return content === saved ? undefined : content;
      },
      onKept: setKeptAtMs,
      onTake: (content) => {
        const writing = writingOf(content);
        if (writing) adopt(writing);
      },
      onDrop: startAgain,
      onAsk: setOther,
    });
    sync.current = now;
    if (isSealed) {
      now.withdraw();
      return;
    }
    void now.open();
    // Without a field it is the whole form being filled in by us.
    const typed = watch((_, { name }) => name !== undefined && now.changed());
    addEventListener('pagehide', now.leave);
    return () => {
      typed.unsubscribe();
      removeEventListener('pagehide', now.leave);
      // From the moment a passphrase is asked for, no word goes that has not gone yet.
      if (getValues('isSealed')) now.stop();
      else now.leave();
    };
  }, [isOn, isSealed, key, form, adopt, startAgain]);

  const writing = other && writingOf(other.content);
  return {
    keptAtMs: isSealed ? undefined : keptAtMs,
    other: other && writing ? { writing, updatedAt: other.updatedAt } : undefined,
    choose: (which) => {
      sync.current?.choose(which);
      setOther(undefined);
    },
    forget: () => (isSealed ? sync.current?.withdraw() : sync.current?.forget()),
  };
}
