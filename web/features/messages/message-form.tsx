import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Message } from '#shared/contract/messages.ts';
import { messageCategories } from '#shared/rules/categories.ts';
import { Button } from '#web/components/ui/button.tsx';
import { CheckboxField, SelectField, TextField } from '#web/components/ui/field.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import { useLeaveWarning } from '#web/lib/drafts/leave-warning.ts';
import type { AttachmentChoice } from './attachment-choice.ts';
import { AttachmentField, shownAttachment } from './attachment-field.tsx';
import { LetterPreview } from './letter-preview.tsx';
import { type MessageFormFields, type MessageFormState, useMessageForm } from './message-form-state.ts';
import { categoryLabels } from './message-list.rules.ts';
import { PassphraseFields } from './passphrase-fields.tsx';
import { SaveOutcome } from './save-outcome.tsx';
import { useSaveMessage } from './use-save-message.ts';
import { WritingSheet } from './writing-sheet.tsx';
import './messages.css';

type MessageFormProps = {
  /** The message to change; a new one is written without it. */
  message?: Message | undefined;
  ownerName: string;
  onSaved: () => void;
  /** Told what is not saved in the vault; undefined while there is nothing. */
  onUnsaved: (unsaved: Unsaved | undefined) => void;
};

export type Unsaved = {
  /** Forgets the words that are kept on this device. */
  forget: () => void;
  /** Whether a file was chosen, which is not kept. */
  hasFile: boolean;
};

const prompts = [
  { label: 'A day you would live again', opening: 'A day I would live again: ' },
  { label: 'Thank them for one exact thing', opening: 'I want to thank you for ' },
  { label: 'A recipe, a song, a place', opening: 'A recipe, a song, a place I want you to have: ' },
  { label: 'Advice for a birthday to come', opening: 'For a birthday to come: ' },
] as const;

/** A page to write on: the letter at its final size, and beside it what the post needs to know. */
export function MessageForm({ message, ownerName, onSaved, onUnsaved }: MessageFormProps) {
  const state = useMessageForm(message);
  const { form, forget } = state;
  const [isPreviewing, setPreviewing] = useState(false);
  const [attachment, setAttachment] = useState<AttachmentChoice>({ what: 'keep' });
  const { isDirty } = form.formState;
  const saving = useSaveMessage(message, () => {
    forget();
    onSaved();
  });
  const { save } = saving;
  const saveButton = useRef<HTMLButtonElement>(null);
  const stopUpload = () => {
    // The button that was pressed goes away, and the focus would go with it.
    saveButton.current?.focus();
    saving.cancel();
  };
  const isUnsaved = (isDirty || attachment.what !== 'keep') && !save.isSuccess;
  const hasFile = attachment.what === 'add';
  useLeaveWarning(isUnsaved);
  useEffect(() => onUnsaved(isUnsaved ? { forget, hasFile } : undefined), [isUnsaved, forget, hasFile, onUnsaved]);

  const submitAs = (status: 'draft' | 'ready') =>
    form.handleSubmit((values) => {
      if (!save.isPending) save.mutate({ writing: { ...values, status }, attachment });
    });
  const pressed = save.isPending ? save.variables.writing.status : undefined;
  return (
    <>
      <div className="pagebar">
        <KeptNote {...state} />
        <Button variant="text" size="small" onClick={() => setPreviewing(!isPreviewing)}>
          {isPreviewing ? 'Back to writing' : 'See it as they will'}
        </Button>
      </div>
      {isPreviewing ? (
        <LetterPreview {...form.getValues()} ownerName={ownerName} enclosed={shownAttachment(message, attachment)} />
      ) : null}
      <form className="desk" noValidate hidden={isPreviewing} onSubmit={(event) => event.preventDefault()}>
        <WritingSheet form={form} />
        <div className="margin">
          <MarginFields
            form={form}
            isFamily={message?.category === 'family'}
            attachment={
              <AttachmentField message={message} choice={attachment} onChoice={setAttachment} locked={save.isPending} />
            }
          />
          <div className="dock">
            <SaveOutcome {...saving} cancel={stopUpload} />
            <div className="dock-in">
              <Button ref={saveButton} busy={save.isPending} onClick={submitAs('ready')}>
                {pressed === 'ready' ? 'Saving…' : 'Save & Ready to Send'}
              </Button>
              <Button variant="secondary" busy={save.isPending} onClick={submitAs('draft')}>
                {pressed === 'draft' ? 'Saving…' : 'Save as Draft'}
              </Button>
            </div>
          </div>
          <Prompts form={form} />
        </div>
      </form>
    </>
  );
}

type MarginFieldsProps = { form: MessageFormFields; isFamily: boolean; attachment: ReactNode };

function MarginFields({ form, isFamily, attachment }: MarginFieldsProps) {
  const { register, formState } = form;
  const { errors } = formState;
  // The wizard's own category is offered only where a message already has it.
  const categories = messageCategories.filter((category) => category !== 'family' || isFamily);
  return (
    <>
      <TextField
        label="Recipient Email *"
        type="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
        error={errors.recipientEmail?.message}
        {...register('recipientEmail')}
      />
      <SelectField
        label="Category"
        options={categories.map((value) => ({ value, label: categoryLabels[value] }))}
        {...register('category')}
      />
      {attachment}
      <CheckboxField
        label={
          <>
            Show its title to my trusted contacts
            <br />
            <span className="hint">
              They see it, and whom it is for, once they are asked: by an emergency request also while you live. Never
              the letter itself
            </span>
          </>
        }
        {...register('visibleToTrustedContact')}
      />
      <PassphraseFields form={form} />
    </>
  );
}

function KeptNote({ keptAtMs, isRestored, startAgain }: MessageFormState) {
  const isKept = keptAtMs !== undefined;
  return (
    <span className="saved" role="status">
      {isKept || isRestored ? <Icon name="check" /> : null}
      {isKept ? `Draft kept at ${timeOfDay(keptAtMs)}` : null}
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

function Prompts({ form: { getValues, setValue, setFocus } }: { form: MessageFormFields }) {
  const begin = (opening: string) => {
    const content = getValues('content').trimEnd();
    setValue('content', content === '' ? opening : `${content}\n\n${opening}`, { shouldDirty: true });
    setFocus('content');
  };
  return (
    <div className="prompts">
      <h2>When words are hard</h2>
      {prompts.map(({ label, opening }) => (
        <button key={label} type="button" onClick={() => begin(opening)}>
          {label}
        </button>
      ))}
    </div>
  );
}
