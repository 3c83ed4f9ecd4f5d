import { type ReactNode, useState } from 'react';
import { sealsTitle } from '#shared/rules/letter-seal.ts';
import { PassphraseGate } from '#web/components/letter/passphrase-gate.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Sheet } from '#web/components/ui/card.tsx';
import { Field } from '#web/components/ui/field.tsx';
import type { OpenedLetter } from '#web/lib/sealing/letter-seal.ts';
import { AskedQuestion } from './asked-question.tsx';
import { canKeepDrafts } from './drafts/draft-support.ts';
import { greetingOf, isBlank } from './greeting.rules.ts';
import { GrowingText } from './growing-text.tsx';
import type { MessageFormFields } from './message-form-state.ts';
import { Pencil } from './pencil.tsx';
import { readingNote } from './reading-time.rules.ts';

type WritingSheetProps = {
  form: MessageFormFields;
  /** The number of the question that a mail has led here with; null without one. */
  question: number | null;
  /** Called when the words of a sealed letter were opened here, or are written again. */
  onOpened: (opened: OpenedLetter) => void;
  children: ReactNode;
};

/**
 * The sheet: a title and a letter in the size in which they will be read, without boxes. The contents of the envelope
 * are below.
 */
export function WritingSheet({ form, question, onOpened, children }: WritingSheetProps) {
  const { register, formState, watch } = form;
  const { errors } = formState;
  const locked = watch('locked');
  return (
    <Sheet className="paper folds">
      {sealsTitle(locked) ? null : (
        <Field label={<Starred>Message Title</Starred>} error={errors.title?.message}>
          {(control) => (
            <GrowingText
              className="paper-title"
              autoComplete="off"
              placeholder="A few words for the envelope"
              oneLine
              required
              {...register('title')}
              {...control}
            />
          )}
        </Field>
      )}
      {locked ? <LockedWords form={form} onOpened={onOpened} /> : <Words form={form} question={question} />}
      {children}
    </Sheet>
  );
}

/**
 * A label of the specification with a visual sign. Screen readers announce by themselves that the field is required.
 */
function Starred({ children }: { children: string }) {
  return (
    <>
      {children} <span aria-hidden="true">*</span>
    </>
  );
}

function Words({ form, question }: Pick<WritingSheetProps, 'form' | 'question'>) {
  const { register, formState, watch, getValues, setValue, setFocus } = form;
  const [isAnswered, setAnswered] = useState(false);
  const content = watch('content');
  const greeting = greetingOf(watch('recipients'), watch('showRecipients') ?? false);
  const isEmpty = isBlank(content, greeting);
  const begin = (opening: string) => {
    const before = getValues('content').trimEnd();
    setValue('content', before === '' ? opening : `${before}\n\n${opening}`, { shouldDirty: true });
    setFocus('content');
  };
  return (
    <>
      <Field label={<Starred>Message Content</Starred>} error={formState.errors.content?.message}>
        {(control) => (
          <GrowingText
            className={isEmpty ? 'paper-body letter is-empty' : 'paper-body letter'}
            required
            onFocus={({ currentTarget }) => {
              // One goes on from the greeting, where the browser would begin before it.
              if (isEmpty && currentTarget.selectionEnd === 0)
                currentTarget.setSelectionRange(content.length, content.length);
            }}
            {...register('content')}
            {...control}
          />
        )}
      </Field>
      {question === null || isAnswered ? null : (
        <AskedQuestion
          number={question}
          onBegin={(opening) => {
            setAnswered(true);
            begin(opening);
          }}
        />
      )}
      {isEmpty ? <Pencil onBegin={begin} /> : null}
      <div className="paper-meta">
        <span>{readingNote(isEmpty ? '' : content)}</span>
        {canKeepDrafts() ? <span>Kept on this device as you type</span> : null}
      </div>
    </>
  );
}

/** A sealed letter can be changed after it was opened, or written again. If it is not opened, it stays as it is. */
function LockedWords({ form, onOpened }: Pick<WritingSheetProps, 'form' | 'onOpened'>) {
  const { watch, setValue, setFocus } = form;
  const sealed = watch('locked');
  if (!sealed) return null;
  const isWhole = sealsTitle(sealed);
  const write = (opened: OpenedLetter, passphrase: string) => {
    const { title, content } = opened;
    setValue('passphrase', passphrase);
    if (title !== null) setValue('title', title);
    setValue('content', content);
    setValue('locked', null, { shouldDirty: true });
    onOpened(opened);
    setTimeout(() => setFocus('content'));
  };
  return (
    <PassphraseGate sealed={sealed} onOpened={write}>
      <p>
        You sealed this letter. Open it to change its {isWhole ? 'title and words; ' : 'words; title, '}
        recipient and the rest can be changed without.{' '}
        <Button variant="text" size="small" onClick={() => write({ title: isWhole ? '' : null, content: '' }, '')}>
          Write it again
        </Button>
      </p>
    </PassphraseGate>
  );
}
