import { PassphraseGate } from '#web/components/letter/passphrase-gate.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Sheet } from '#web/components/ui/card.tsx';
import { Field } from '#web/components/ui/field.tsx';
import { canKeepDrafts } from './draft-support.ts';
import type { MessageFormFields } from './message-form-state.ts';
import { readingNote } from './reading-time.rules.ts';

const rowsAtFirst = 16;

/** The sheet itself: a title and a letter, at the size in which they will be read. */
export function WritingSheet({ form }: { form: MessageFormFields }) {
  const { register, formState, watch } = form;
  const { errors } = formState;
  return (
    <Sheet className="write">
      <Field label="Message Title *" error={errors.title?.message}>
        {(control) => (
          <input type="text" className="write-title" autoComplete="off" required {...register('title')} {...control} />
        )}
      </Field>
      {watch('locked') ? (
        <LockedWords form={form} />
      ) : (
        <>
          <Field label="Message Content *" error={errors.content?.message}>
            {(control) => (
              <textarea
                className="write-body letter"
                rows={rowsAtFirst}
                required
                {...register('content')}
                {...control}
              />
            )}
          </Field>
          <div className="write-meta">
            <span>{readingNote(watch('content'))}</span>
            {canKeepDrafts() ? <span>Kept on this device as you type</span> : null}
          </div>
        </>
      )}
    </Sheet>
  );
}

/** A sealed letter is changed after it has been opened, or written anew. Left closed, it stays as it is. */
function LockedWords({ form: { watch, setValue, setFocus } }: { form: MessageFormFields }) {
  const sealed = watch('locked');
  if (!sealed) return null;
  const write = (content: string, passphrase: string) => {
    setValue('passphrase', passphrase);
    setValue('content', content);
    setValue('locked', null, { shouldDirty: true });
    setTimeout(() => setFocus('content'));
  };
  return (
    <PassphraseGate sealed={sealed} onOpened={write}>
      <p>
        You sealed this letter. Open it to change its words; title, recipient and the rest can be changed without.{' '}
        <Button variant="text" size="small" onClick={() => write('', '')}>
          Write it anew
        </Button>
      </p>
    </PassphraseGate>
  );
}
