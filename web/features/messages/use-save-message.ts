import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Enclosure } from '#shared/contract/letters/enclosures.ts';
import type { Message } from '#shared/contract/messages.ts';
import { extensionOf } from '#shared/rules/files.ts';
import { sealedEnvelopeExtension } from '#shared/rules/letters/sealed-envelope.ts';
import { NotConfirmedError } from '#web/components/fresh-sign-in/not-confirmed.ts';
import { useFreshSignIn } from '#web/components/fresh-sign-in/use-fresh-sign-in.tsx';
import { ApiError } from '#web/lib/api/api.ts';
import { UploadCancelled } from '#web/lib/api/upload.ts';
import { type Uploading, useUpload } from '#web/lib/api/use-upload.ts';
import { renamedWords } from '#web/lib/file-words.ts';
import { toast } from '#web/lib/toast.ts';
import { EnvelopeNotStored, stageEnclosures, storeEnclosures } from './enclosures/store-enclosures.ts';
import { isUnsealing, type SaveRequest, type StoredMessage, storeMessage } from './store-message.ts';

type Saving = {
  onSaved: (saved: Message) => void;
  /** Told where the letter is stored and not all of its envelope: its words need not be kept here any more. */
  onPartlySaved: () => void;
};

/** Saves a message, new or changed, and says so. Everything that shows messages or limits is read again. */
export function useSaveMessage(message: Message | undefined, { onSaved, onPartlySaved }: Saving) {
  const client = useQueryClient();
  const upload = useUpload();
  // A ready letter to a new reader asks for it.
  const { run, dialog } = useFreshSignIn('Save the letter');
  const [fileName, setFileName] = useState('');
  const isNew = message === undefined;
  // What has gone through before something failed: another try goes on from there.
  const stored = useRef(message);
  const sent = useRef(new Map<string, Enclosure>());
  const staging = useRef(crypto.randomUUID());
  const send: Uploading['send'] = (route, options) => {
    setFileName(
      extensionOf(options.file.name) === sealedEnvelopeExtension
        ? 'What lies in the envelope, sealed'
        : options.file.name,
    );
    return upload.send(route, options);
  };
  const save = useMutation({
    mutationFn: async (request: SaveRequest): Promise<StoredMessage> => {
      const before = stored.current;
      const sending = { send, sent: sent.current };
      const staged =
        before && isUnsealing(before, request)
          ? await stageEnclosures(before, request.enclosings, { ...sending, staging: staging.current })
          : undefined;
      const saved = await run(() => storeMessage(before, { ...request, staged }, send));
      stored.current = saved;
      // Sealed, they went with the words; staged, they were taken in by them.
      if (saved.encryptedContent || staged) return saved;
      return { ...saved, enclosures: await storeEnclosures(saved, request.enclosings, sending) };
    },
    onSuccess: (saved, { writing: { status } }) => {
      const { title, description } = isNew ? savedAs[status] : updatedAs[status];
      const renamed = renamedWords(saved.attachmentOriginalName ?? '', saved.renamedFrom);
      toast({ title, description: renamed ? `${description}.${renamed}` : description });
      onSaved(saved);
      client.invalidateQueries();
    },
    onError: (error) => {
      if (stored.current !== message) onPartlySaved();
      // What was staged may have gone meanwhile; another try sends it anew.
      if (stored.current?.encryptedContent && error instanceof ApiError && error.status === 409) {
        sent.current.clear();
        staging.current = crypto.randomUUID();
      }
      if (error instanceof NotConfirmedError) return;
      // A stop that came late may have been too late.
      if (error instanceof UploadCancelled) return client.invalidateQueries();
      if (error instanceof EnvelopeNotStored) client.invalidateQueries();
      toast({ ...saveFailure(error, isNew), variant: 'destructive' });
    },
  });
  return { save, progress: upload.progress, fileName, cancel: upload.cancel, dialog };
}

const savedAs = {
  draft: { title: 'Message Saved', description: 'Your message has been saved as draft' },
  ready: { title: 'Message Saved', description: 'Your message has been saved as ready for delivery' },
};
const updatedAs = {
  draft: { title: 'Message Updated', description: 'Your message has been successfully updated as draft' },
  ready: { title: 'Message Updated', description: 'Your message has been successfully updated as ready for delivery' },
};

/** Said where the letter itself went through. */
export const envelopeNotStored = 'Your letter is saved, and what you put into its envelope is not. Save it once more.';

/** Title and sentence for a message that could not be saved. */
export function saveFailure(error: unknown, isNew: boolean): { title: string; description: string } {
  if (error instanceof EnvelopeNotStored) return { title: 'Error', description: envelopeNotStored };
  if (error instanceof ApiError) {
    if (/plan limit/i.test(error.message)) return { title: 'Plan Limit Reached', description: error.message };
    if (error.status === 403 && error.upgradeRequired) {
      return { title: 'Upgrade Required', description: error.message };
    }
  }
  return {
    title: 'Error',
    description: isNew ? 'Failed to save message. Please try again.' : 'Failed to update message. Please try again.',
  };
}
