import { useId, useState } from 'react';
import { Field, TextField } from '#web/components/ui/field.tsx';
import type { MessageFormFields } from '#web/features/messages/message-form-state.ts';
import { readerName } from '#web/lib/reader-names.ts';
import { likelyMeant } from './odd-address.rules.ts';
import { OddAddress } from './odd-address.tsx';
import { useWhenLetGo } from './when-let-go.ts';

type ReaderDetailsProps = {
  form: MessageFormFields;
  index: number;
  /** Addresses that were written to before. */
  known: readonly string[];
};

const relations = [
  'daughter',
  'son',
  'granddaughter',
  'grandson',
  'partner',
  'sister',
  'brother',
  'friend',
  'neighbour',
];

/** Name, relation and address of one reader. */
export function ReaderDetails({ form, index, known }: ReaderDetailsProps) {
  const { register, watch, formState } = form;
  const errors = formState.errors.recipients?.[index];
  const listId = useId();
  const reader = watch(`recipients.${index}`);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a legend would be one more heading above three fields.
    <div className="who" role="group" aria-label={reader ? readerName(reader) || 'Somebody new' : undefined}>
      <TextField
        label="Name"
        autoComplete="off"
        error={errors?.name?.message}
        {...register(`recipients.${index}.name`)}
      />
      <TextField
        label="They are your"
        autoComplete="off"
        list={listId}
        error={errors?.relation?.message}
        {...register(`recipients.${index}.relation`)}
      />
      <datalist id={listId}>
        {relations.map((relation) => (
          <option key={relation} value={relation} />
        ))}
      </datalist>
      <Address form={form} index={index} known={known} error={errors?.email?.message} />
    </div>
  );
}

function Address({ form, index, known, error }: ReaderDetailsProps & { error: string | undefined }) {
  const { register, watch, setValue, setFocus, formState } = form;
  const name = `recipients.${index}.email` as const;
  const typed = watch(name) ?? '';
  const [isWriting, setWriting] = useState(false);
  const [kept, setKept] = useState<string>();
  const whenLetGo = useWhenLetGo();
  const oddId = useId();
  const meant = isWriting || kept === typed ? undefined : likelyMeant(typed, known);
  const answer = (address: string) => {
    setKept(address);
    setValue(name, address, { shouldDirty: true, shouldValidate: formState.isSubmitted });
    // The button that was pressed goes away, and the focus would go with it.
    setFocus(name);
  };
  const { onBlur, ...field } = register(name);
  return (
    <div className="who-mail">
      <Field
        label={
          <>
            Recipient Email <span aria-hidden="true">*</span>
          </>
        }
        hint="It is used for this letter and for nothing else."
        error={error}
      >
        {(control) => (
          <input
            type="email"
            className="input"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            required
            {...field}
            {...control}
            aria-describedby={[control['aria-describedby'], meant ? oddId : ''].filter(Boolean).join(' ')}
            onFocus={() => setWriting(true)}
            onBlur={(event) => {
              whenLetGo(() => setWriting(false));
              return onBlur(event);
            }}
          />
        )}
      </Field>
      <div role="status">
        {meant ? (
          <OddAddress id={oddId} meant={meant} onChange={() => answer(meant)} onKeep={() => answer(typed)} />
        ) : null}
      </div>
    </div>
  );
}
