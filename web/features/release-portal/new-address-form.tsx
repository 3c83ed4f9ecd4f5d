import { type FormEvent, type ReactNode, useState } from 'react';
import { email } from '#shared/contract/fields.ts';
import type { NewAddressPage } from '#shared/contract/release/new-address.ts';
import { addressIn } from '#shared/rules/addresses/written-address.ts';
import { reasonLengthMax } from '#shared/rules/release-answers.ts';
import { Button } from '#web/components/ui/button.tsx';
import { Dialog } from '#web/components/ui/dialog.tsx';
import { TextAreaField, TextField } from '#web/components/ui/field.tsx';
import { useLeaveWarning } from '#web/lib/drafts/leave-warning.ts';
import { counted } from '#web/lib/format.ts';
import { type Letter, othersOf } from './new-address-words.ts';

type FormProps = {
  page: NewAddressPage;
  letter: Letter;
  isBusy: boolean;
  onPropose: (given: { address: string; reason: string }) => void;
};

/** Another address, how it is known, and a second look before it is proposed. */
export function NewAddressForm({ page, letter, isBusy, onPropose }: FormProps) {
  const [address, setAddress] = useState('');
  const [reason, setReason] = useState('');
  const [error, setError] = useState<string>();
  const [looksAgain, setLooksAgain] = useState(false);
  useLeaveWarning(address.trim() !== '' || reason.trim() !== '');
  const given = { address: addressIn(address), reason: reason.trim() };

  function lookAgain(event: FormEvent) {
    event.preventDefault();
    const read = email.safeParse(address);
    setError(read.success ? undefined : read.error.issues[0]?.message);
    setLooksAgain(read.success);
  }

  return (
    <form className="stack" noValidate onSubmit={lookAgain}>
      <TextField
        label="Another address of the same person *"
        type="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={address}
        error={error}
        onChange={(event) => setAddress(event.target.value)}
      />
      <TextAreaField
        label="How do you know this address? *"
        hint={
          page.needsAgreement ? `${othersOf(page)} can read this before agreeing.` : 'One or two sentences. It is kept.'
        }
        rows={3}
        maxLength={reasonLengthMax}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      <div className="btns btns-stack">
        <Button variant="secondary" type="submit" busy={isBusy} disabled={given.address === '' || given.reason === ''}>
          Look at it once more
        </Button>
      </div>
      <SecondLook
        open={looksAgain}
        page={page}
        letter={letter}
        address={given.address}
        isBusy={isBusy}
        onBack={() => setLooksAgain(false)}
        onPropose={() => {
          setLooksAgain(false);
          onPropose(given);
        }}
      />
    </form>
  );
}

type SecondLookProps = Pick<FormProps, 'page' | 'letter' | 'isBusy'> & {
  open: boolean;
  address: string;
  onBack: () => void;
  onPropose: () => void;
};

function SecondLook({ open, page, letter, address, isBusy, onBack, onPropose }: SecondLookProps) {
  return (
    <Dialog open={open} onClose={onBack} title="Is this the right person?" closesOutside={false}>
      <Facts letter={letter} address={address}>
        <p>{whatHappens(page)}</p>
        <p>Whoever reads mail at this address can read the message.</p>
        <div className="btns btns-stack">
          <Button variant="secondary" data-focus-first="" onClick={onBack}>
            Change it
          </Button>
          <Button variant="danger" busy={isBusy} onClick={onPropose}>
            Propose this address
          </Button>
        </div>
      </Facts>
    </Dialog>
  );
}

function whatHappens(page: NewAddressPage): string {
  return page.needsAgreement
    ? `We ask ${othersOf(page)}. If ${page.otherContactNames.length > 1 ? 'one of them' : othersOf(page)} agrees, the message is sent there at once, and that can’t be taken back. If nobody answers, it is sent in ${counted(page.waitDays, 'day')}.`
    : `It is sent there in ${counted(page.waitDays, 'day')}. Until then you can take it back.`;
}

type AgreeProps = {
  open: boolean;
  letter: Letter;
  address: string;
  isBusy: boolean;
  onClose: () => void;
  onAgree: () => void;
};

/** The second person's second look. */
export function AgreeDialog({ open, letter, address, isBusy, onClose, onAgree }: AgreeProps) {
  return (
    <Dialog open={open} onClose={onClose} title="Send it there now?" closesOutside={false}>
      <Facts letter={letter} address={address}>
        <p>
          It is sent at once, and that can’t be taken back. Whoever reads mail at this address can read the message.
        </p>
        <div className="btns btns-stack">
          <Button variant="secondary" data-focus-first="" onClick={onClose}>
            Not yet
          </Button>
          <Button variant="danger" busy={isBusy} onClick={onAgree}>
            Agree and send
          </Button>
        </div>
      </Facts>
    </Dialog>
  );
}

/** Old and new address one under the other, so that a slip shows. */
function Facts({ letter, address, children }: { letter: Letter; address: string; children: ReactNode }) {
  return (
    <div className="dialog-body">
      <dl className="facts">
        <dt>Message</dt>
        <dd dir="auto">{letter.title}</dd>
        <dt>Refused by</dt>
        <dd className="anywhere">{letter.recipientEmail}</dd>
        <dt>New address</dt>
        <dd className="anywhere">
          <b>{address}</b>
        </dd>
      </dl>
      {children}
    </div>
  );
}
