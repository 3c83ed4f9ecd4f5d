import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Enclosure } from '#shared/contract/letters/enclosures.ts';
import type { Message } from '#shared/contract/messages.ts';
import { extensionOf } from '#shared/rules/files.ts';
import { sealedEnvelopeExtension } from '#shared/rules/letters/sealed-envelope.ts';
import { NotConfirmedError } from '#web/components/fresh-sign-in/not-confirmed.ts';
import { useFreshSignIn } from '#web/components/fresh-sign-in/use-fresh-sign-in.tsx';
import { ApiError } from '#web/lib/api/api.ts';
import { isUnclear, unclearWords } from '#web/lib/api/saves.ts';
import { UploadCancelled } from '#web/lib/api/upload.ts';
import { useSaves } from '#web/lib/api/use-saves.ts';
import { type Uploading, useUpload } from '#web/lib/api/use-upload.ts';
import { renamedWords } from '#web/lib/file-words.ts';
import { toast } from '#web/lib/toast.ts';
import { EnvelopeNotStored, stageEnclosures, storeEnclosures, WordsElsewhere } from './enclosures/store-enclosures.ts';
import { hasSealedEnvelope } from './sealing/use-envelope.ts';
import { isUnsealing, type SaveRequest, type StoredMessage, storeMessage } from './store-message.ts';

type Saving = {
  onSaved: (saved: Message) => void;
  /** Told where the letter is stored and not all of its envelope: its words need not be kept here any more. */
  onPartlySaved: () => void;
};

/** Saves a message, new or changed, and says so. Everything that shows messages or limits is read again. */
export function useSaveMessage(message: Message | undefined, { onSaved, onPartlySaved }: Saving) {
  const client = useQueryClient();
  const { send, fileName, progress, cancel } = useNamedUpload();
  // A ready letter to a new reader asks for it.
  const { run, dialog } = useFreshSignIn('Save the letter');
  const isNew = message === undefined;
  // Steps that succeeded before a failure. Another try continues after them.
  const { saves, conflict, shown, isConflict, keepMine } = useSaves(message);
  const isStored = useRef(false);
  const shownIds = useRef(new Set(message?.enclosures.map(({ id }) => id)));
  const sent = useRef(new Map<string, Enclosure>());
  const staging = useRef(crypto.randomUUID());
  const save = useMutation({
    mutationFn: async (request: SaveRequest): Promise<StoredMessage> => {
      isStored.current = false;
      const before = saves.base();
      const sending = { send, sent: sent.current, shownIds: shownIds.current };
      const staged =
        before && isUnsealing(before, request)
          ? await stageEnclosures(before, request.enclosings, { ...sending, staging: staging.current })
          : undefined;
      const saved = await run(() =>
        saves.save(
          saidIn(request),
          (base, changeKey) => storeMessage(base, { ...request, staged, changeKey }, send),
          request.writing.version,
        ),
      );
      isStored.current = true;
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
      if (isStored.current) onPartlySaved();
      // Staged files may have expired in the meantime. Another try sends them again.
      if (saves.base()?.encryptedContent && error instanceof ApiError && error.status === 409) {
        sent.current.clear();
        staging.current = crypto.randomUUID();
      }
      if (isConflict(error) || error instanceof NotConfirmedError) return;
      if (error instanceof WordsElsewhere) return client.invalidateQueries();
      // A stop that came late may have been too late.
      if (error instanceof UploadCancelled) return client.invalidateQueries();
      if (error instanceof EnvelopeNotStored) client.invalidateQueries();
      toast({ ...saveFailure(error, isNew), variant: 'destructive' });
    },
  });
  const goOnWithMine = () => {
    keepMine((stored) => withFileOf(message, stored));
    save.reset();
  };
  /** Words to a picture or voice that another device has changed: the writer chooses. */
  const elsewhere = save.error instanceof WordsElsewhere ? save.error : undefined;
  return { save, conflict, elsewhere, shown, keepMine: goOnWithMine, progress, fileName, cancel, dialog };
}

/** The words in this window open the sealed file that they came with, and no other: the service refuses if that has gone. */
function withFileOf(message: Message | undefined, stored: Message): Message {
  if (!hasSealedEnvelope(message)) return stored;
  const { attachmentOriginalName, attachmentMimeType, hasAttachment } = message as Message;
  return { ...stored, attachmentOriginalName, attachmentMimeType, hasAttachment };
}

/** Uploads one file at a time, and names it. */
function useNamedUpload() {
  const { send, progress, cancel } = useUpload();
  const [fileName, setFileName] = useState('');
  const sendNamed: Uploading['send'] = (route, options) => {
    const { name } = options.file;
    setFileName(extensionOf(name) === sealedEnvelopeExtension ? 'The contents of the envelope, sealed' : name);
    return send(route, options);
  };
  return { send: sendNamed, fileName, progress, cancel };
}

/** A request as text that can be compared: a file stands there by its name, size and time. */
function saidIn({ writing, attachment, keptKey }: SaveRequest) {
  const file = attachment.what === 'add' ? attachment.file : undefined;
  return { writing, keptKey, attachment: file ? [file.name, file.size, file.lastModified] : attachment.what };
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
export const envelopeNotStored = 'Your letter is saved, but the contents of its envelope are not. Save it again.';

/** Title and sentence for a message that could not be saved. */
export function saveFailure(error: unknown, isNew: boolean): { title: string; description: string } {
  if (error instanceof EnvelopeNotStored) return { title: 'Error', description: envelopeNotStored };
  if (isUnclear(error)) return { title: 'Error', description: unclearWords };
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
