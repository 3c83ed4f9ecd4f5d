import { passphraseHintLengthMax, passphraseLengthMax } from '#shared/rules/letter-seal.ts';
import { CheckboxField, TextField } from '#web/components/ui/field.tsx';
import { canSealLetters } from '#web/lib/letter-seal.ts';
import type { MessageFormFields } from './message-form-state.ts';

/** A passphrase that only the recipient would know. The letter is sealed with it before it leaves the browser. */
export function PassphraseFields({ form: { register, watch, formState } }: { form: MessageFormFields }) {
  const { errors } = formState;
  const isLocked = watch('locked') !== null;
  if (!canSealLetters() || isLocked) return null;
  return (
    <div className="passphrase">
      <CheckboxField
        label="Seal the letter with a passphrase"
        hint="Then not even we can read it"
        {...register('isSealed')}
      />
      {watch('isSealed') ? (
        <>
          <TextField
            label="Passphrase"
            hint="Something only they would know. Capital letters and spaces make no difference. If it is forgotten, nobody can open the letter: not you, and not us."
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={passphraseLengthMax}
            error={errors.passphrase?.message}
            {...register('passphrase')}
          />
          <TextField
            label="Hint for them"
            hint="They see it above the box. Title, recipient and attachment are not sealed with the passphrase."
            autoComplete="off"
            maxLength={passphraseHintLengthMax}
            error={errors.hint?.message}
            {...register('hint')}
          />
        </>
      ) : null}
    </div>
  );
}
