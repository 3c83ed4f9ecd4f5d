import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Message } from '#shared/contract/messages.ts';
import { messageCategories } from '#shared/rules/categories.ts';
import { Button } from '#web/components/ui/button.tsx';
import { CheckboxField, SelectField } from '#web/components/ui/field.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import { useLeaveWarning } from '#web/lib/drafts/leave-warning.ts';
import { AttachmentField } from './attachment-field.tsx';
import { categoryLabels } from './category-labels.ts';
import { OtherVersion } from './drafts/other-version.tsx';
import { EnvelopeFields } from './enclosures/envelope-fields.tsx';
import { LetterPreview } from './letter-preview.tsx';
import { type MessageFormFields, type MessageFormState, useMessageForm } from './message-form-state.ts';
import { PassphraseFields } from './passphrase-fields.tsx';
import { unfinishedBeginning } from './pencil.tsx';
import { ReaderFields } from './readers/reader-fields.tsx';
import { SaveOutcome } from './save-outcome.tsx';
import { EnvelopeInForm } from './sealing/envelope-in-form.tsx';
import { useEnvelope } from './sealing/use-envelope.ts';
import { useSaveMessage } from './use-save-message.ts';
import { WhenFields } from './when-fields.tsx';
import type { Writing } from './writing.ts';
import { WritingSheet } from './writing-sheet.tsx';
import './messages.css';

type MessageFormProps = {
  /** The message to change; a new one is written without it. */
  message?: Message | undefined;
  ownerName: string;
  /** The number of the question that a mail has led here with. */
  question?: number | null;
  onSaved: (saved: Message) => void;
  /** Told of the letter that another device has saved, to be shown in place of this one. */
  onReplaced: (saved: Message) => void;
  /** Called with the unsaved parts. Undefined if there are none. */
  onUnsaved: (unsaved: Unsaved | undefined) => void;
};

export type Unsaved = {
  /** Forgets the words that are kept on this device. */
  forget: () => void;
  /** True if a file was chosen. Drafts do not keep it. */
  hasFile: boolean;
  /** True if pictures were chosen or a voice was recorded. Drafts do not keep them either. */
  hasEnclosures: boolean;
};

/** A page to write on: the letter at its final size, and beside it what the post needs to know. */
export function MessageForm({ message, ownerName, question = null, onSaved, onReplaced, onUnsaved }: MessageFormProps) {
  const state = useMessageForm(message);
  const { form, forget, other } = state;
  const [isPreviewing, setPreviewing] = useState(false);
  const envelope = useEnvelope(message);
  const { attachment, setAttachment, enclosings, setEnclosings } = envelope;
  const saving = useSaveMessage(message, {
    onSaved: (saved) => {
      forget();
      onSaved(saved);
    },
    onPartlySaved: forget,
  });
  const { save, conflict, elsewhere, shown } = saving;
  const field = { form, message: shown, locked: save.isPending };
  const isUnsaved = (form.formState.isDirty || envelope.isChanged) && !save.isSuccess;
  useUnsaved(isUnsaved ? { forget, ...envelope.lost } : undefined, onUnsaved);

  /** Transcript of a file that was sealed with the words. */
  const sayIn = (said: string | undefined) => said === undefined || form.setValue('attachmentTranscript', said);

  const submitAs = (status: 'draft' | 'ready') => () => {
    dropBlankReaders(form);
    return form.handleSubmit((values) => {
      if (status === 'ready' && isUnfinished(form, values)) return;
      if (save.isPending || envelope.state === 'opening') return;
      const keptKey = envelope.keptKey(values.attachmentTranscript);
      const isEnvelopeClosed = envelope.state === 'failed';
      save.mutate({ writing: { ...values, status }, attachment, enclosings, keptKey, isEnvelopeClosed });
    })();
  };
  return (
    <>
      <PageBar state={state} isPreviewing={isPreviewing} onPreview={setPreviewing} />
      <OtherVersion {...{ state, saving, envelope, onReplaced }} />
      {isPreviewing ? (
        <LetterPreview message={shown} writing={form.getValues()} {...{ attachment, enclosings, ownerName }} />
      ) : null}
      <form
        className="desk"
        noValidate
        hidden={isPreviewing || (other ?? conflict ?? elsewhere) !== undefined}
        onSubmit={(event) => event.preventDefault()}
      >
        <div className="desk-main">
          <ReaderFields form={form} />
          <WritingSheet form={form} question={question} onOpened={(opened) => envelope.onOpened(opened).then(sayIn)}>
            <EnvelopeInForm {...envelope} retry={() => envelope.retry().then(sayIn)}>
              <EnvelopeFields enclosings={enclosings} onChange={setEnclosings} {...field} />
            </EnvelopeInForm>
          </WritingSheet>
        </div>
        <div className="margin">
          <MarginFields
            form={form}
            isFamily={message?.category === 'family'}
            attachment={
              envelope.state === 'open' ? (
                <AttachmentField choice={attachment} onChoice={setAttachment} {...field} />
              ) : null
            }
          />
          <Dock saving={saving} isOpening={envelope.state === 'opening'} submitAs={submitAs} />
        </div>
      </form>
      {saving.dialog}
    </>
  );
}

/** Warns before the page closes with unsaved changes, and notifies the dialog around the form. */
function useUnsaved(unsaved: Unsaved | undefined, onUnsaved: MessageFormProps['onUnsaved']): void {
  const { forget, hasFile = false, hasEnclosures = false } = unsaved ?? {};
  useLeaveWarning(unsaved !== undefined);
  useEffect(
    () => onUnsaved(forget ? { forget, hasFile, hasEnclosures } : undefined),
    [forget, hasFile, hasEnclosures, onUnsaved],
  );
}

type DockProps = {
  saving: ReturnType<typeof useSaveMessage>;
  /** While the contents of the envelope are being opened. */
  isOpening: boolean;
  submitAs: (status: 'draft' | 'ready') => () => void;
};

/** Buttons that save the letter, and the result. */
function Dock({ saving, isOpening, submitAs }: DockProps) {
  const { save } = saving;
  const saveButton = useRef<HTMLButtonElement>(null);
  const stopUpload = () => {
    // The button that was pressed goes away, and the focus would go with it.
    saveButton.current?.focus();
    saving.cancel();
  };
  const pressed = save.isPending ? save.variables.writing.status : undefined;
  return (
    <div className="dock">
      <SaveOutcome {...saving} cancel={stopUpload} />
      <div className="dock-in">
        <Button ref={saveButton} busy={save.isPending || isOpening} onClick={submitAs('ready')}>
          {pressed === 'ready' ? 'Saving…' : 'Save & Ready to Send'}
        </Button>
        <Button variant="secondary" busy={save.isPending || isOpening} onClick={submitAs('draft')}>
          {pressed === 'draft' ? 'Saving…' : 'Save as Draft'}
        </Button>
      </div>
    </div>
  );
}

/** An added reader without any entry is ignored. */
function dropBlankReaders({ getValues, setValue }: MessageFormFields): void {
  const readers = getValues('recipients');
  const named = readers.filter(({ name, relation, email }) => `${name}${relation}${email}`.trim() !== '');
  if (named.length > 0 && named.length < readers.length) setValue('recipients', named);
}

/** A beginning with nothing after it is not sent without a word: it may have been forgotten there. */
function isUnfinished({ setError }: MessageFormFields, { content }: Writing): boolean {
  const beginning = unfinishedBeginning(content);
  if (beginning === undefined) return false;
  const message = `Nothing follows “${beginning}” yet. Go on from there, or take it out.`;
  setError('content', { message }, { shouldFocus: true });
  return true;
}

type MarginFieldsProps = { form: MessageFormFields; isFamily: boolean; attachment: ReactNode };

function MarginFields({ form, isFamily, attachment }: MarginFieldsProps) {
  const { register } = form;
  // The wizard's own category is offered only where a message already has it.
  const categories = messageCategories.filter((category) => category !== 'family' || isFamily);
  return (
    <>
      <WhenFields form={form} />
      <SelectField
        label="Category"
        options={categories.map((value) => ({ value, label: categoryLabels[value] }))}
        {...register('category')}
      />
      {attachment}
      <CheckboxField
        label="Show its title to my trusted contacts"
        hint="They see it, and whom it is for, once they are asked: by an emergency request also while you live. Never the letter itself"
        {...register('visibleToTrustedContact')}
      />
      <PassphraseFields form={form} />
    </>
  );
}

type PageBarProps = { state: MessageFormState; isPreviewing: boolean; onPreview: (isPreviewing: boolean) => void };

function PageBar({ state, isPreviewing, onPreview }: PageBarProps) {
  return (
    <div className="pagebar">
      <KeptNote {...state} />
      {state.other ? null : (
        <Button variant="text" size="small" onClick={() => onPreview(!isPreviewing)}>
          {isPreviewing ? 'Back to writing' : 'See it as they will'}
        </Button>
      )}
    </div>
  );
}

function KeptNote({ keptAtMs: onDeviceAtMs, inVaultAtMs, isRestored, startAgain }: MessageFormState) {
  const keptAtMs = inVaultAtMs ?? onDeviceAtMs;
  const isKept = keptAtMs !== undefined;
  return (
    <span className="saved" role="status">
      {isKept || isRestored ? <Icon name="check" /> : null}
      {isKept ? `Draft kept${inVaultAtMs === undefined ? '' : ' in your vault'} at ${timeOfDay(keptAtMs)}` : null}
      {isRestored && !isKept ? 'This is what you had typed here' : null}
      {isRestored ? (
        <Button variant="text" size="small" onClick={startAgain}>
          Discard it
        </Button>
      ) : null}
    </span>
  );
}

const timeFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** The clock on the person's own wall, wherever they are. */
function timeOfDay(ms: number): string {
  return timeFormat.format(ms);
}
