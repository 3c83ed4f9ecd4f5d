import { flushSync } from 'react-dom';
import type { Message } from '#shared/contract/messages.ts';
import type { Which } from '#web/components/versions/two-versions.tsx';
import { type AttachmentChoice, choiceOver, isOtherFile } from '../attachment-choice.ts';
import { shownAttachment } from '../attachment-field.tsx';
import { withWordsFrom } from '../enclosures/enclosing.ts';
import { TwoWords } from '../enclosures/two-words.tsx';
import { type MessageFormFields, type MessageFormState, valuesOf } from '../message-form-state.ts';
import type { useEnvelope } from '../sealing/use-envelope.ts';
import type { useSaveMessage } from '../use-save-message.ts';
import { TwoLetters } from './two-versions.tsx';

type OtherVersionProps = {
  state: MessageFormState;
  saving: ReturnType<typeof useSaveMessage>;
  envelope: Pick<ReturnType<typeof useEnvelope>, 'attachment' | 'setAttachment' | 'enclosings' | 'setEnclosings'>;
  /** Called with the letter that another device has saved, to be shown in place of this one. */
  onReplaced: (saved: Message) => void;
};

/** Words of another device beside the words of this window: a draft, a saved letter, or a caption. Nothing if there are none. */
export function OtherVersion({ state, saving, envelope, onReplaced }: OtherVersionProps) {
  const { form, other, goOnWith } = state;
  const { elsewhere, conflict } = saving;
  if (other) return <TwoLetters kind="draft" these={form.getValues()} other={other} onChoose={goOnWith} />;
  if (conflict) return <SavedElsewhere {...{ state, saving, envelope, onReplaced, conflict }} />;
  if (!elsewhere) return null;
  const choose = (which: Which) => {
    envelope.setEnclosings((before) => withWordsFrom(before, elsewhere, which));
    // The form is there again before the focus is to go to it.
    flushSync(() => saving.save.reset());
    form.setFocus('content');
  };
  return <TwoWords elsewhere={elsewhere} enclosings={envelope.enclosings} onChoose={choose} />;
}

function SavedElsewhere(props: OtherVersionProps & { conflict: Message }) {
  const { state, saving, envelope, onReplaced, conflict } = props;
  const { form, forget } = state;
  const { shown, keepMine } = saving;
  const file = choiceOver(conflict, { choice: envelope.attachment, shown });
  const choose = async (which: Which) => {
    if (which === 'other') {
      await forget();
      return onReplaced(conflict);
    }
    // The form is there again before the focus is to go to it.
    flushSync(keepMine);
    form.setValue('version', conflict.version);
    if (file.what === 'keep' && isOtherFile(shown, conflict)) followFile(form, { shown, stored: conflict });
    envelope.setAttachment(file);
    form.setFocus('content');
  };
  const saved = { writing: valuesOf(conflict), updatedAt: conflict.updatedAt };
  const files = { these: fileName(conflict, file), other: fileName(conflict, { what: 'keep' }) };
  return <TwoLetters kind="saved" these={form.getValues()} other={saved} files={files} onChoose={choose} />;
}

/** Takes over the words said in a newer file, unless the writer typed other words here. */
function followFile(
  { getValues, setValue }: MessageFormFields,
  { shown, stored }: { shown: Message | undefined; stored: Message },
): void {
  const said = getValues('attachmentTranscript') ?? '';
  if (said !== '' && said !== (shown?.attachmentTranscript ?? '')) return;
  setValue('attachmentTranscript', stored.attachmentTranscript ?? '');
}

const fileName = (message: Message, choice: AttachmentChoice) => shownAttachment(message, choice)?.name ?? '';
