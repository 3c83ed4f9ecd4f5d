import { useId, useState } from 'react';
import type { SealedLetter } from '#shared/contract/messages.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Field } from '#web/components/ui/field.tsx';
import { canSealLetters, openLetter } from '#web/lib/letter-seal.ts';
import './passphrase-gate.css';

type PassphraseGateProps = {
  sealed: SealedLetter;
  /** What is said above the box. */
  children: React.ReactNode;
  onOpened: (content: string, passphrase: string) => void;
};

/** Opens a letter that its writer sealed. It happens in the browser; as many tries as anybody wants. */
export function PassphraseGate({ sealed, children, onOpened }: PassphraseGateProps) {
  const [passphrase, setPassphrase] = useState('');
  const [isOpening, setOpening] = useState(false);
  const [isWrong, setWrong] = useState(false);
  const hintId = useId();

  const open = async () => {
    if (isOpening || passphrase.trim() === '') return;
    setOpening(true);
    setWrong(false);
    const content = await openLetter(sealed, passphrase);
    setOpening(false);
    if (content === null) setWrong(true);
    else onOpened(content, passphrase);
  };

  if (!canSealLetters()) {
    return (
      <Banner>This letter is sealed, and this browser can’t open it. Use a newer one, at an https address.</Banner>
    );
  }
  return (
    <div className="gate">
      {children}
      {sealed.hint ? (
        <p className="gate-hint" id={hintId} dir="auto">
          <span className="small quiet">The hint says:</span>
          <br />
          {sealed.hint}
        </p>
      ) : null}
      <Field
        label="Passphrase"
        hint="Capital letters and spaces around it make no difference. You can try as often as you like."
        error={isWrong ? 'That does not open it. Check each word, or try another way to write it.' : undefined}
      >
        {(control) => (
          <input
            {...control}
            className="input"
            type="text"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={passphrase}
            onKeyDown={(event) => {
              // It may stand within a form that Enter must not send.
              if (event.key !== 'Enter') return;
              event.preventDefault();
              open();
            }}
            onChange={({ currentTarget }) => {
              setPassphrase(currentTarget.value);
              setWrong(false);
            }}
          />
        )}
      </Field>
      <div className="btns">
        <Button onClick={open} busy={isOpening} disabled={passphrase.trim() === ''}>
          {isOpening ? 'Opening…' : 'Open the letter'}
        </Button>
      </div>
    </div>
  );
}
