import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Enclosure } from '#shared/contract/letters/enclosures.ts';
import {
  createMessage,
  createMessageWithAttachment,
  type Message,
  updateMessage,
  updateMessageWithAttachment,
} from '#shared/contract/messages.ts';
import { ApiError, call } from '#web/lib/api/api.ts';
import { UploadCancelled } from '#web/lib/api/upload.ts';
import { type Uploading, useUpload } from '#web/lib/api/use-upload.ts';
import { toast } from '#web/lib/toast.ts';
import type { AttachmentChoice } from './attachment-choice.ts';
import type { Enclosing } from './enclosures/enclosing.ts';
import { EnvelopeNotStored, storeEnclosures } from './enclosures/store-enclosures.ts';
import { answersOf, type Writing } from './writing.ts';

export type SaveRequest = { writing: Writing; attachment: AttachmentChoice; enclosings: readonly Enclosing[] };

type Saving = {
  onSaved: (saved: Message) => void;
  /** Told where the letter is stored and not all of its envelope: its words need not be kept here any more. */
  onPartlySaved: () => void;
};

/** Saves a message, new or changed, and says so. Everything that shows messages or limits is read again. */
export function useSaveMessage(message: Message | undefined, { onSaved, onPartlySaved }: Saving) {
  const client = useQueryClient();
  const upload = useUpload();
  const [fileName, setFileName] = useState('');
  const isNew = message === undefined;
  // What has gone through before something failed: another try goes on from there.
  const stored = useRef(message);
  const sent = useRef(new Map<string, Enclosure>());
  const send: Uploading['send'] = (route, options) => {
    setFileName(options.file.name);
    return upload.send(route, options);
  };
  const save = useMutation({
    mutationFn: async (request: SaveRequest): Promise<Message> => {
      const saved = await store(stored.current, request, send);
      stored.current = saved;
      const enclosures = await storeEnclosures(saved, request.enclosings, { send, sent: sent.current });
      return { ...saved, enclosures };
    },
    onSuccess: (saved, { writing: { status } }) => {
      toast(isNew ? savedAs[status] : updatedAs[status]);
      onSaved(saved);
      client.invalidateQueries();
    },
    onError: (error) => {
      if (stored.current !== message) onPartlySaved();
      // A stop that came late may have been too late.
      if (error instanceof UploadCancelled) return client.invalidateQueries();
      if (error instanceof EnvelopeNotStored) client.invalidateQueries();
      toast({ ...saveFailure(error, isNew), variant: 'destructive' });
    },
  });
  return { save, progress: upload.progress, fileName, cancel: upload.cancel };
}

async function store(message: Message | undefined, { writing, attachment }: SaveRequest, send: Uploading['send']) {
  const { attachmentTranscript, ...rest } = await answersOf(writing);
  // Left out, it stays as it was, or goes with the file that it was said of.
  const isSaid = attachmentTranscript !== (message?.attachmentTranscript ?? '');
  const answers = { ...rest, ...(isSaid ? { attachmentTranscript } : {}) };
  if (attachment.what === 'add') {
    const { file } = attachment;
    const { encryptedContent, recipients, position: _, deliverOn, ...plain } = answers;
    const fields = {
      ...plain,
      encryptedContent: encryptedContent && JSON.stringify(encryptedContent),
      ...(deliverOn === undefined ? {} : { deliverOn: JSON.stringify(deliverOn) }),
      ...(recipients ? { recipients: JSON.stringify(recipients) } : {}),
    };
    return message
      ? send(updateMessageWithAttachment, { params: { id: message.id }, file, fields })
      : send(createMessageWithAttachment, { file, fields });
  }
  if (!message) return call(createMessage, { body: { ...answers, hasAttachment: false } });
  const body = { ...answers, ...attachmentKept(message, attachment.what) };
  return call(updateMessage, { params: { id: message.id }, body });
}

/** Nothing is said where there was none: a file that another page has attached meanwhile must not go. */
function attachmentKept(message: Message, what: 'keep' | 'remove'): { hasAttachment?: boolean } {
  if (what === 'remove') return { hasAttachment: false };
  return message.hasAttachment ? { hasAttachment: true } : {};
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
