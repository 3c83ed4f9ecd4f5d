import { useState } from 'react';
import { copyPassphraseLettersMin, isCopyPassphrase } from '#shared/rules/exports/copy-format.ts';
import { foldedPassphrase, passphraseLengthMax } from '#shared/rules/letter-seal.ts';
import { TextField } from '#web/components/ui/field.tsx';

type Errors = { passphrase?: string; again?: string };
type Sealing = ReturnType<typeof usePassphrase>;

/** Passphrase of a copy, typed twice. It is kept in this form alone. */
export function usePassphrase() {
  const [passphrase, setPassphrase] = useState('');
  const [again, setAgain] = useState('');
  const [errors, setErrors] = useState<Errors>({});

  /** True if it can seal a copy; otherwise the fields say why not. */
  function isReady(): boolean {
    const found: Errors = {};
    if (!isCopyPassphrase(passphrase)) found.passphrase = `Use at least ${copyPassphraseLettersMin} letters or digits.`;
    else if (foldedPassphrase(again) !== foldedPassphrase(passphrase))
      found.again = 'This is not the same as above. Type it once more.';
    setErrors(found);
    return Object.keys(found).length === 0;
  }

  return { passphrase, setPassphrase, again, setAgain, errors, isReady };
}

/** Words that no browser is to correct, or to offer again. */
const asTyped = {
  autoComplete: 'off',
  autoCapitalize: 'none',
  spellCheck: false,
  maxLength: passphraseLengthMax,
} as const;

/** The two fields, and what hangs on them. */
export function PassphraseChoice({ sealing, isLocked }: { sealing: Sealing; isLocked: boolean }) {
  const { passphrase, setPassphrase, again, setAgain, errors } = sealing;
  return (
    <fieldset className="data-choice" disabled={isLocked}>
      <legend className="label">How the page is opened</legend>
      <TextField
        label="Passphrase"
        hint={`At least ${copyPassphraseLettersMin} letters or digits: four or five words are good. Capital letters, spaces and punctuation make no difference.`}
        {...asTyped}
        value={passphrase}
        error={errors.passphrase}
        onChange={({ target }) => setPassphrase(target.value)}
      />
      <TextField
        label="Passphrase once more"
        {...asTyped}
        value={again}
        error={errors.again}
        onChange={({ target }) => setAgain(target.value)}
      />
      <p className="small quiet">
        Write it down, and keep it apart from the page, where the people you choose will find it. We don’t keep it. No
        one can restore it, and without it no one can read the page. Files over 90 MB are saved beside the page.
      </p>
    </fieldset>
  );
}
