import { Sheet } from '#web/components/ui/card.tsx';
import { Field } from '#web/components/ui/field.tsx';
import { canKeepWords } from './kept-words.ts';
import type { MessageFormFields } from './message-form-state.ts';
import { readingNote } from './reading-time.rules.ts';

const rowsAtFirst = 16;

/** The sheet itself: a title and a letter, at the size in which they will be read. */
export function WritingSheet({ form: { register, formState, watch } }: { form: MessageFormFields }) {
  const { errors } = formState;
  return (
    <Sheet className="write">
      <Field label="Message Title *" error={errors.title?.message}>
        {(control) => (
          <input type="text" className="write-title" autoComplete="off" required {...register('title')} {...control} />
        )}
      </Field>
      <Field label="Message Content *" error={errors.content?.message}>
        {(control) => (
          <textarea className="write-body letter" rows={rowsAtFirst} required {...register('content')} {...control} />
        )}
      </Field>
      <div className="write-meta">
        <span>{readingNote(watch('content'))}</span>
        {canKeepWords() ? <span>Kept on this device as you type</span> : null}
      </div>
    </Sheet>
  );
}
