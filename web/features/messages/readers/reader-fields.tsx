import { useEffect, useId, useRef, useState } from 'react';
import { useFieldArray } from 'react-hook-form';
import { recipientsMax } from '#shared/contract/letters/recipients.ts';
import { addressIn } from '#shared/rules/addresses/written-address.ts';
import { Button } from '#web/components/ui/button.tsx';
import { CheckboxField } from '#web/components/ui/field.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import { type MessageFormFields, nobodyYet } from '#web/features/messages/message-form-state.ts';
import { readerName, yourRelation } from '#web/lib/reader-names.ts';
import { type KnownReader, KnownReaders, useKnownReaders } from './known-readers.tsx';
import { ReaderDetails } from './reader-details.tsx';
import './readers.css';

/** For whom the letter is: one reader as fields, several as chips of which one may be open. */
export function ReaderFields({ form }: { form: MessageFormFields }) {
  const headingId = useId();
  const { readers, opened, setOpened, add, choose, take } = useReaders(form);
  const known = useKnownReaders();
  const isSeveral = readers.length > 1;
  const others = known.filter(({ email }) => !readers.some((reader) => addressIn(reader.email) === email));
  const addButton =
    readers.length < recipientsMax ? (
      <Button variant="text" size="small" onClick={add}>
        Add somebody
      </Button>
    ) : (
      <span className="small quiet">{recipientsMax} people have it, and that is as many as can.</span>
    );
  return (
    <section className={isSeveral ? 'to' : 'to to-one'} aria-labelledby={headingId}>
      <h3 className="it" id={headingId}>
        To
      </h3>
      {isSeveral ? (
        <ul className="to-list">
          {readers.map((reader, index) => (
            <li key={reader.id} className={index === opened ? 'chip-p is-open' : 'chip-p'}>
              <Chip
                reader={reader}
                isOpen={index === opened}
                onOpen={() => setOpened(index === opened ? null : index)}
                onTake={() => take(index)}
              />
            </li>
          ))}
          <li>{addButton}</li>
        </ul>
      ) : null}
      <div className="to-open">
        {readers.map((reader, index) =>
          index === opened ? (
            <ReaderDetails key={reader.id} form={form} index={index} known={known.map(({ email }) => email)} />
          ) : null,
        )}
        <div className="to-foot">
          <KnownReaders readers={others} onChoose={choose} />
          {isSeveral ? null : addButton}
          {isSeveral && opened !== null ? (
            <Button variant="secondary" size="small" onClick={() => setOpened(null)}>
              Done
            </Button>
          ) : null}
        </div>
        {isSeveral ? (
          <CheckboxField
            label="Let them see who else has it"
            hint={`If not, each reads it as theirs alone, and no names are put in the greeting. Up to ${recipientsMax} people, each with an email of their own.`}
            {...form.register('showRecipients')}
          />
        ) : null}
      </div>
    </section>
  );
}

/** The readers of the form, and which of them is open. A single one always is. */
function useReaders(form: MessageFormFields) {
  const { fields, append, remove } = useFieldArray({ control: form.control, name: 'recipients' });
  const { setFocus, setValue, watch, formState } = form;
  const watched = watch('recipients');
  const readers = fields.map(({ id }, index) => ({ ...nobodyYet, ...watched[index], id }));
  const [chosen, setOpened] = useState<number | null>(null);
  const opened = fields.length === 1 ? 0 : chosen;
  const focusNext = useRef<number>(undefined);
  useEffect(() => {
    const index = focusNext.current;
    if (index === undefined || index !== opened) return;
    focusNext.current = undefined;
    setFocus(`recipients.${index}.name`);
  });
  const { errors, submitCount } = formState;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each press of a button, not while it is being put right.
  useEffect(() => {
    const wrong = Array.isArray(errors.recipients) ? errors.recipients.findIndex(Boolean) : -1;
    if (wrong >= 0) setOpened(wrong);
  }, [submitCount]);

  const open = (index: number) => {
    focusNext.current = index;
    setOpened(index);
  };
  const add = () => {
    append(nobodyYet, { shouldFocus: false });
    open(fields.length);
  };
  const choose = (reader: KnownReader) => {
    const place = readers.findIndex(({ name, email }) => `${name}${email}`.trim() === '');
    if (place < 0) append(reader, { shouldFocus: false });
    else setValue(`recipients.${place}`, reader, { shouldDirty: true, shouldValidate: formState.isSubmitted });
    open(place < 0 ? fields.length : place);
  };
  const take = (index: number) => {
    remove(index);
    // The chip that was pressed goes away, and the focus would go with it.
    open(Math.max(0, index - 1));
  };
  return { readers, opened, setOpened, add, choose, take };
}

type ChipProps = {
  reader: { name?: string | null | undefined; relation?: string | null | undefined; email: string };
  isOpen: boolean;
  onOpen: () => void;
  onTake: () => void;
};

function Chip({ reader, isOpen, onOpen, onTake }: ChipProps) {
  const name = readerName(reader) || 'Somebody new';
  return (
    <>
      <button type="button" className="chip-n" aria-expanded={isOpen} onClick={onOpen}>
        <span className="it">{name}</span> <small>{yourRelation(reader.relation)}</small>
      </button>
      <button type="button" className="icon-btn" aria-label={`Take ${name} off this letter`} onClick={onTake}>
        <Icon name="close" />
      </button>
    </>
  );
}
