import { useRef, useState } from 'react';
import type { Message } from '#shared/contract/messages.ts';
import { endingOf, typeOfExtension } from '#shared/rules/files.ts';
import { isSealedEnvelope } from '#shared/rules/letters/sealed-envelope.ts';
import { hasFeature, type PlanName } from '#shared/rules/plans.ts';
import { Button } from '#web/components/ui/button.tsx';
import { TextAreaField } from '#web/components/ui/field.tsx';
import { FileField, type ShownFile } from '#web/components/ui/file-field.tsx';
import { addressOf } from '#web/lib/api/api.ts';
import { vaultRoutes } from '#web/lib/api/vault-routes.ts';
import { acceptedWords, acceptOf, type FileRefusal, isNoticed, refusalOf } from '#web/lib/file-choice.rules.ts';
import { useSession } from '#web/lib/session.ts';
import { toast } from '#web/lib/toast.ts';
import type { AttachmentChoice } from './attachment-choice.ts';
import type { MessageFormFields } from './message-form-state.ts';
import { video } from './recording/recording.rules.ts';
import { canRecord } from './recording/use-recorder.ts';
import { VideoRecorder } from './recording/video-recorder.tsx';

type AttachmentFieldProps = {
  form: MessageFormFields;
  message: Message | undefined;
  choice: AttachmentChoice;
  onChoice: (choice: AttachmentChoice) => void;
  /** While it is being sent. */
  locked: boolean;
};

/** One file beside the letter, where the plan has attachments. */
export function AttachmentField({ form, message, choice, onChoice, locked }: AttachmentFieldProps) {
  const plan = useSession().user?.plan ?? 'free';
  const [error, setError] = useState<string>();
  const box = useRef<HTMLDivElement>(null);
  const saved = message && savedAttachment(message);
  const isRemoved = saved !== undefined && choice.what === 'remove';
  const shown = shownAttachment(message, choice);
  const change = (next: AttachmentChoice) => {
    // The transcript belongs to one file, so another file starts without it.
    const said = next.what === 'keep' ? (message?.attachmentTranscript ?? '') : '';
    form.setValue('attachmentTranscript', said, { shouldDirty: true });
    onChoice(next);
  };
  const choose = (file: File): boolean => {
    const refusal = attachmentRefusal(file, plan);
    setError(refusal?.description);
    if (refusal && isNoticed(refusal)) toast({ ...refusal, variant: 'destructive' });
    if (!refusal) change({ what: 'add', file });
    return refusal === undefined;
  };
  const remove = () => {
    setError(undefined);
    // If a chosen file is removed before saving, the stored file stays.
    change({ what: saved && choice.what === 'keep' ? 'remove' : 'keep' });
  };
  const keep = () => {
    // The button that was pressed goes away, and the focus would go with it.
    box.current?.querySelector('input')?.focus();
    change({ what: 'keep' });
  };
  return (
    <div className="attachment" ref={box}>
      <FileField
        label="Attachment"
        hint={
          hasFeature(plan, 'attachments') ? acceptedWords(plan) : 'Attachments come with the Essential plan or higher'
        }
        accept={acceptOf(plan)}
        error={error}
        file={shown}
        onChoose={choose}
        onRemove={remove}
        locked={locked}
      />
      {shown?.mimeType.startsWith('video/') ? <SaidInVideo form={form} locked={locked} /> : null}
      {hasFeature(plan, 'video') && !locked && canRecord(video) ? <Recording onRecorded={choose} /> : null}
      {saved && choice.what === 'keep' ? (
        <a
          className="attachment-link small"
          href={addressOf(vaultRoutes.downloadAttachment, { params: { id: message.id } })}
          download={saved.name}
        >
          Download {saved.name}
        </a>
      ) : null}
      {isRemoved ? (
        <p className="small quiet" role="status">
          <bdi>{saved.name}</bdi> is removed when you save.{' '}
          <Button variant="text" size="small" onClick={keep}>
            Keep it
          </Button>
        </p>
      ) : null}
    </div>
  );
}

function SaidInVideo({ form: { register, formState }, locked }: Pick<AttachmentFieldProps, 'form' | 'locked'>) {
  return (
    <TextAreaField
      label="What is said in the video, in words"
      hint="For anyone who cannot hear it. It goes into the copy they save."
      rows={4}
      readOnly={locked}
      error={formState.errors.attachmentTranscript?.message}
      {...register('attachmentTranscript')}
    />
  );
}

function Recording({ onRecorded }: { onRecorded: (file: File) => void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="secondary" size="small" onClick={() => setOpen(true)}>
        Record a video
      </Button>
      <VideoRecorder
        open={isOpen}
        onClose={() => setOpen(false)}
        onRecorded={(file) => {
          setOpen(false);
          onRecorded(file);
        }}
      />
    </>
  );
}

/** Attachment of the letter after saving. */
export function shownAttachment(message: Message | undefined, choice: AttachmentChoice): ShownFile | undefined {
  if (choice.what === 'add') {
    const { name, size, type } = choice.file;
    return { name, sizeBytes: size, mimeType: typeOfExtension(endingOf(name)) ?? type };
  }
  return choice.what === 'keep' && message ? savedAttachment(message) : undefined;
}

/** Present attachment of a message. A sealed attachment is hidden until the words are opened. */
export function savedAttachment(
  message: Pick<Message, 'hasAttachment' | 'attachmentOriginalName' | 'attachmentSize' | 'attachmentMimeType'>,
): ShownFile | undefined {
  if (!message.hasAttachment || isSealedEnvelope({ mimeType: message.attachmentMimeType })) return undefined;
  return {
    name: message.attachmentOriginalName ?? 'Attachment',
    sizeBytes: message.attachmentSize ?? 0,
    mimeType: message.attachmentMimeType ?? '',
  };
}

function attachmentRefusal(file: File, plan: PlanName): FileRefusal | undefined {
  if (!hasFeature(plan, 'attachments')) {
    return {
      title: 'Upgrade Required',
      description: 'File attachments require Essential plan or higher. Upgrade to attach documents to your messages.',
    };
  }
  return refusalOf(file, plan);
}
