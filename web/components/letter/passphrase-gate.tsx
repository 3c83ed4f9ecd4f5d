import { useEffect, useState } from 'react';
import type { SealedLetter } from '#shared/contract/messages.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Field } from '#web/components/ui/field.tsx';
import { idle } from '#web/lib/loading/idle.ts';
import { fetchQuietly, notFetched } from '#web/lib/loading/not-fetched.ts';
import { canSealLetters } from '#web/lib/sealing/can-seal.ts';
import type { OpenedLetter } from '#web/lib/sealing/letter-seal.ts';
import { toast } from '#web/lib/toast.ts';
import { useIsLive } from '#web/lib/use-is-live.ts';
import { useTypedBefore } from '#web/lib/use-typed-before.ts';
import './passphrase-gate.css';

type PassphraseGateProps = {
  sealed: SealedLetter;
  /** Content above the field. */
  children: React.ReactNode;
  onOpened: (opened: OpenedLetter, passphrase: string) => void;
};

/** Differences that are ignored before a key is derived. Version 2 ignores more. */
const noDifference: Record<SealedLetter['version'], string> = {
  1: 'Capital letters and spaces around it make no difference.',
  2: 'Capital letters, spaces and punctuation make no difference.',
};

/** Code that opens a seal. Most letters are not sealed, and their pages need none of it. */
const fetchSeal = () => import('#web/lib/sealing/letter-seal.ts');

/** Opens a sealed letter in the browser, with any number of attempts. */
export function PassphraseGate({ sealed, children, onOpened }: PassphraseGateProps) {
  const [passphrase, setPassphrase] = useState('');
  const [isOpening, setOpening] = useState(false);
  const [isWrong, setWrong] = useState(false);
  const isLive = useIsLive();
  const field = useTypedBefore<HTMLInputElement>('letter-passphrase', setPassphrase);

  useEffect(() => {
    idle().then(() => fetchQuietly(fetchSeal));
  }, []);

  const open = async () => {
    if (isOpening || passphrase.trim() === '') return;
    setOpening(true);
    setWrong(false);
    const seal = await fetchSeal().catch(() => null);
    const opened = await seal?.openLetter(sealed, passphrase);
    setOpening(false);
    if (opened === undefined) return toast(notFetched);
    if (opened === null) setWrong(true);
    else onOpened(opened, passphrase);
  };

  if (isLive && !canSealLetters()) {
    return (
      <Banner>This letter is sealed, and this browser can’t open it. Use a newer one, at an https address.</Banner>
    );
  }
  return (
    <div className="gate">
      {children}
      {sealed.hint ? <Hint hint={sealed.hint} /> : null}
      <NeedsScripts />
      <Field
        label="Passphrase"
        hint={`${noDifference[sealed.version]} You can try as often as you like.`}
        error={isWrong ? 'That does not open it. Check each word, or try another way to write it.' : undefined}
      >
        {(control) => (
          <input
            {...control}
            ref={field}
            name="letter-passphrase"
            className="input"
            type="text"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={passphrase}
            onKeyDown={(event) => {
              // The field may be inside a form that Enter must not send.
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

function Hint({ hint }: { hint: string }) {
  return (
    <p className="gate-hint" dir="auto">
      <span className="small quiet">The hint says:</span>
      <br />
      {hint}
    </p>
  );
}

function NeedsScripts() {
  return (
    <noscript>
      <Banner>
        Only your browser can open a sealed letter, with scripts, and this one runs none. Open this page in another
        browser.
      </Banner>
    </noscript>
  );
}
