import { useEffect, useId, useRef } from 'react';
import { useLocation } from 'wouter';
import type { Message } from '#shared/contract/messages.ts';
import { initialOf, WaxSeal } from '#web/components/letter/wax-seal.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { whenWords } from '#web/lib/own-day.ts';
import { namesTogether, readerName } from '#web/lib/reader-names.ts';
import './sealed-moment.css';

type SealedMomentProps = {
  message: Message;
  ownerName: string;
  onClose: () => void;
  onWrite: () => void;
  onOpen: () => void;
};

const listPath = '/messages';

/** `Sealed for Nell.` */
export function sealedFor({ recipients }: Message): string {
  return `Sealed for ${namesTogether(recipients.map(readerName))}.`;
}

/** The letter is ready: one fold, one press, and what that means. Nothing of it moves where motion is not wanted. */
export function SealedMoment({ message, ownerName, onClose, onWrite, onOpen }: SealedMomentProps) {
  const { recipients } = message;
  const [path, navigate] = useLocation();
  const saidId = useId();
  const first = useRef<HTMLButtonElement>(null);
  // The form that had the focus is gone.
  useEffect(() => first.current?.focus(), []);
  return (
    <div className="moment">
      <Folded name={recipients.map(({ name }) => name)[0] ?? ''} initial={initialOf(ownerName)} />
      <div className="moment-say">
        <p className="lead" id={saidId}>
          You can open and change it at any time.
        </p>
        <dl className="moment-facts">
          <dt>To</dt>
          <dd className="anywhere">{recipients.map(({ email }) => email).join(', ')}</dd>
          <dt>When</dt>
          <dd>{whenWords(message.deliverOn)}</dd>
          <dt>Until then</dt>
          <dd>it is kept locked, and nobody gets it</dd>
        </dl>
        <div className="btns btns-stack">
          <Button
            ref={first}
            aria-describedby={saidId}
            onClick={() => {
              onClose();
              if (path !== listPath) navigate(listPath);
            }}
          >
            All messages
          </Button>
          <Button variant="secondary" onClick={onWrite}>
            Write another
          </Button>
          <Button variant="text" onClick={onOpen}>
            Open it again
          </Button>
        </div>
      </div>
    </div>
  );
}

/** Beyond this a name would run out of its envelope. */
const writtenLengthMax = 14;

function Folded({ name, initial }: { name: string; initial: string }) {
  return (
    <div className="moment-art">
      <svg className="art" viewBox="0 0 420 262" aria-hidden="true" focusable="false">
        <path className="fold-tone" d="M60 50H390V258H60Z" />
        <g className="fold-line">
          <path d="M54 40 62 23H360L368 40Z" />
          <path d="M46 38H376V258H46Z" />
        </g>
        <g className="fold-flap">
          <path className="fold-paper" d="M46 38H376V148Q296 170 211 170T46 148Z" />
          <path className="fold-tone" d="M54 46H376V155Q296 178 219 178T54 156Z" />
          <path className="fold-edge" d="M46 38H376V148Q296 170 211 170T46 148Z" />
        </g>
        {name.length <= writtenLengthMax ? (
          <text className="fold-name" x="66" y="234">
            {name}
          </text>
        ) : null}
      </svg>
      <WaxSeal initial={initial} className="moment-seal" />
    </div>
  );
}
