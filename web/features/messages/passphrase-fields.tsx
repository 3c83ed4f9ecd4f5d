import { useState } from 'react';
import { foldedPassphrase, passphraseHintLengthMax, passphraseLengthMax } from '#shared/rules/letter-seal.ts';
import { Button } from '#web/components/ui/button.tsx';
import { CheckboxField, TextField } from '#web/components/ui/field.tsx';
import { canSealLetters } from '#web/lib/sealing/can-seal.ts';
import { openLetter, sealLetter } from '#web/lib/sealing/letter-seal.ts';
import type { MessageFormFields } from './message-form-state.ts';

/** A passphrase that only the recipient would know. The letter is sealed with it before it leaves the browser. */
export function PassphraseFields({ form }: { form: MessageFormFields }) {
  const { register, watch, formState } = form;
  const { errors } = formState;
  const isLocked = watch('locked') !== null;
  if (!canSealLetters() || isLocked) return null;
  return (
    <div className="passphrase">
      <CheckboxField
        label="Seal the letter with a passphrase"
        hint="Title, words, pictures, voice and file: then not even we can read them"
        {...register('isSealed')}
      />
      {watch('isSealed') ? (
        <>
          <TextField
            label="Passphrase"
            hint="Something only they would know. Capital letters, spaces and punctuation make no difference."
            {...asTyped}
            maxLength={passphraseLengthMax}
            error={errors.passphrase?.message}
            {...register('passphrase')}
          />
          <TextField
            label="Hint for them"
            hint="They see it above the box, and it is all that helps them."
            autoComplete="off"
            required
            maxLength={passphraseHintLengthMax}
            error={errors.hint?.message}
            {...register('hint')}
          />
          <TryWords form={form} />
          <p className="small">
            If nobody knows these words, nobody can ever open the letter: not they, not you, and not us. We do not have
            the words, and cannot set new ones.
          </p>
          <p className="small quiet">
            Lists, mails and contacts call it “A sealed letter”. Whom it is for and the hint are not sealed with the
            passphrase. Until you save it, what you write stays on this device.
          </p>
        </>
      ) : null}
    </div>
  );
}

/** Words that no browser is to correct, or to offer again. */
const asTyped = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;

/** Seals the present letter, and opens it with the passphrase that is typed a second time, as its reader will do. */
function TryWords({ form: { watch, getValues } }: { form: MessageFormFields }) {
  const [again, setAgain] = useState('');
  const [isTrying, setTrying] = useState(false);
  const [tried, setTried] = useState<{ passphrase: string; again: string; opens: boolean }>();
  const passphrase = watch('passphrase');
  const isBlank = foldedPassphrase(passphrase) === '' || foldedPassphrase(again) === '';
  const tryThem = async () => {
    if (isTrying || isBlank) return;
    setTrying(true);
    const { title, content } = getValues();
    const sealed = await sealLetter({ title, content }, { passphrase, hint: null });
    const opened = await openLetter(sealed, again);
    setTrying(false);
    setTried({ passphrase, again, opens: opened?.title === title && opened.content === content });
  };
  const isShown = tried?.passphrase === passphrase && tried.again === again;
  return (
    <>
      <TextField
        label="Type the words again"
        hint="As they would, without looking"
        {...asTyped}
        maxLength={passphraseLengthMax}
        value={again}
        onChange={({ currentTarget }) => setAgain(currentTarget.value)}
        onKeyDown={({ key }) => {
          if (key === 'Enter') tryThem();
        }}
      />
      <div className="btns">
        <Button variant="secondary" size="small" onClick={tryThem} busy={isTrying} disabled={isBlank}>
          {isTrying ? 'Trying…' : 'Try the words'}
        </Button>
        <span role="status">{isShown ? (tried.opens ? 'It opens.' : 'Those words do not open it.') : null}</span>
      </div>
    </>
  );
}
