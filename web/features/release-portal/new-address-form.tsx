import { type ReactNode, useState } from 'react';
import { email } from '#shared/contract/fields.ts';
import type { NewAddressPage } from '#shared/contract/release/new-address.ts';
import { addressIn } from '#shared/rules/addresses/written-address.ts';
import { reasonLengthMax } from '#shared/rules/release-answers.ts';
import { PressForm, pressName } from '#web/components/layout/press-form.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Dialog } from '#web/components/ui/dialog.tsx';
import { TextAreaField, TextField } from '#web/components/ui/field.tsx';
import { useSentFields } from '#web/lib/api/sent-answers.ts';
import { useLeaveWarning } from '#web/lib/drafts/leave-warning.ts';
import { counted } from '#web/lib/format.ts';
import { useIsLive } from '#web/lib/use-is-live.ts';
import { useTypedBefore } from '#web/lib/use-typed-before.ts';
import { type Letter, othersOf, whatFailed } from './new-address-words.ts';

type FormProps = {
  page: NewAddressPage;
  letter: Letter;
  isBusy: boolean;
  onPropose: (given: { address: string; reason: string }) => void;
};

/** Another address, how it is known, and a second look before it is proposed. */
export function NewAddressForm({ page, letter, isBusy, onPropose }: FormProps) {
  const sent = useSentFields();
  // A form that was sent without scripts is shown again with its fields, and asked again in the page itself.
  const wasLooked = sent.letterId === letter.id && sent.press === 'look';
  const before = sent.letterId === letter.id && sent.press !== 'again' ? sent : {};
  const [address, setAddress] = useState(before.address ?? '');
  const [reason, setReason] = useState(before.reason ?? '');
  const [error, setError] = useState(wasLooked ? issueOf(before.address) : undefined);
  const [looksAgain, setLooksAgain] = useState(wasLooked && error === undefined);
  const isLive = useIsLive();
  useLeaveWarning(address.trim() !== '' || reason.trim() !== '');
  const given = { address: addressIn(address), reason: reason.trim() };

  function lookAgain() {
    const issue = issueOf(address);
    setError(issue);
    setLooksAgain(issue === undefined);
  }

  if (looksAgain && !isLive) return <LookAgainStep page={page} letter={letter} {...given} />;
  return (
    <>
      <PressForm className="stack" onPress={lookAgain}>
        <input type="hidden" name="letterId" value={letter.id} />
        <GivenFields page={page} {...{ address, setAddress, reason, setReason, error }} />
        <div className="btns btns-stack">
          <Button
            variant="secondary"
            type="submit"
            name={pressName}
            value="look"
            busy={isBusy}
            disabled={isLive && (given.address === '' || given.reason === '')}
          >
            Look at it once more
          </Button>
        </div>
      </PressForm>
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
    </>
  );
}

type GivenFieldsProps = {
  page: NewAddressPage;
  address: string;
  setAddress: (address: string) => void;
  reason: string;
  setReason: (reason: string) => void;
  error: string | undefined;
};

function GivenFields({ page, address, setAddress, reason, setReason, error }: GivenFieldsProps) {
  const isOnly = page.letters.length === 1;
  const addressField = useTypedBefore<HTMLInputElement>(isOnly ? 'address' : null, setAddress);
  const reasonField = useTypedBefore<HTMLTextAreaElement>(isOnly ? 'reason' : null, setReason);
  return (
    <>
      <TextField
        ref={addressField}
        label="Another address of the same person *"
        name="address"
        type="email"
        required
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={address}
        error={error}
        onChange={(event) => setAddress(event.target.value)}
      />
      <TextAreaField
        ref={reasonField}
        label="How do you know this address? *"
        hint={
          page.needsAgreement ? `${othersOf(page)} can read this before agreeing.` : 'One or two sentences. It is kept.'
        }
        name="reason"
        rows={3}
        required
        maxLength={reasonLengthMax}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
    </>
  );
}

/** Error of an address that cannot be used; undefined if it can. */
function issueOf(address = ''): string | undefined {
  const read = email.safeParse(address);
  return read.success ? undefined : read.error.issues[0]?.message;
}

type SecondLookProps = Pick<FormProps, 'page' | 'letter' | 'isBusy'> & {
  open: boolean;
  address: string;
  onBack: () => void;
  onPropose: () => void;
};

const proposeTitle = 'Is this the right person?';
const proposeLabel = 'Propose this address';
const readByOthers = 'Anyone who reads mail at this address can read the message.';

function SecondLook({ open, page, letter, address, isBusy, onBack, onPropose }: SecondLookProps) {
  return (
    <Dialog open={open} onClose={onBack} title={proposeTitle} closesOutside={false}>
      <Facts letter={letter} address={address}>
        <p>{whatHappens(page)}</p>
        <p>{readByOthers}</p>
        <div className="btns btns-stack">
          <Button variant="secondary" data-focus-first="" onClick={onBack}>
            Change it
          </Button>
          <Button variant="danger" busy={isBusy} onClick={onPropose}>
            {proposeLabel}
          </Button>
        </div>
      </Facts>
    </Dialog>
  );
}

type StepProps = { letter: Letter; address: string; reason?: string };

/** The second look as a part of the page, for a browser that runs no scripts. */
function LookAgainStep({ page, ...step }: StepProps & { page: NewAddressPage }) {
  return (
    <PlainStep {...step} title={proposeTitle} back="Change it" press="propose" label={proposeLabel}>
      <p>{whatHappens(page)}</p>
      <p>{readByOthers}</p>
    </PlainStep>
  );
}

/** The second person's second look as a part of the page, for a browser that runs no scripts. */
export function AgreeStep(step: StepProps) {
  return (
    <PlainStep {...step} title={agreeTitle} back="Not yet" press="send" label={agreeLabel}>
      <p>{agreeWords}</p>
    </PlainStep>
  );
}

type PlainStepProps = StepProps & { title: string; back: string; press: string; label: string; children: ReactNode };

function PlainStep({ letter, address, reason = '', title, back, press, label, children }: PlainStepProps) {
  return (
    <form method="post" className="stack" data-posted-by="browser">
      <h3 className="h-card">{title}</h3>
      <input type="hidden" name="letterId" value={letter.id} />
      <input type="hidden" name="address" value={address} />
      <input type="hidden" name="reason" value={reason} />
      <Facts letter={letter} address={address}>
        {children}
        <div className="btns btns-stack">
          <a className="btn btn-2" href="?">
            {back}
          </a>
          <Button variant="danger" type="submit" name={pressName} value={press}>
            {label}
          </Button>
        </div>
      </Facts>
    </form>
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

const agreeTitle = 'Send it there now?';
const agreeLabel = 'Agree and send';
const agreeWords = `It is sent immediately, and that can’t be taken back. ${readByOthers}`;

/** The second person's second look. */
export function AgreeDialog({ open, letter, address, isBusy, onClose, onAgree }: AgreeProps) {
  return (
    <Dialog open={open} onClose={onClose} title={agreeTitle} closesOutside={false}>
      <Facts letter={letter} address={address}>
        <p>{agreeWords}</p>
        <div className="btns btns-stack">
          <Button variant="secondary" data-focus-first="" onClick={onClose}>
            Not yet
          </Button>
          <Button variant="danger" busy={isBusy} onClick={onAgree}>
            {agreeLabel}
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
        <dt>{whatFailed(letter)}</dt>
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
