import { useState } from 'react';
import type { TrusteeRelationship } from '#shared/contract/release/trustee.ts';
import { reasonLengthMax } from '#shared/rules/release-answers.ts';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { TextAreaField } from '#web/components/ui/field.tsx';
import { firstName } from './trustee-words.ts';
import { useAliveAnswer } from './use-trigger.ts';

type AliveAnswerProps = { owner: TrusteeRelationship; onRefused: (sentence: string) => void };

/** "Alive, but can't answer", while people are asked about the owner. */
export function AliveAnswer({ owner, onRefused }: AliveAnswerProps) {
  const [reason, setReason] = useState('');
  const { isBusy, say } = useAliveAnswer({ onSaid: () => setReason(''), onRefused });
  const name = firstName(owner);
  return (
    <Card as="section" className="answer" aria-labelledby="trustee-alive">
      <h3 className="h-card" id="trustee-alive">
        Is {name} alive, but can’t answer?
      </h3>
      <p>
        We are asking about {name} now. If {name} is in hospital, or can’t understand us, tell us: nothing is sent, and
        we ask you for news later.
      </p>
      <TextAreaField
        label="Reason *"
        hint={`One or two sentences. No other contact is shown it; if ${name} comes back, ${name} can read it.`}
        rows={3}
        maxLength={reasonLengthMax}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      <div className="btns btns-stack">
        <Button
          variant="secondary"
          busy={isBusy}
          disabled={reason.trim() === ''}
          onClick={() => say(owner.ownerUserId, reason.trim())}
        >
          {isBusy ? 'Sending…' : 'Alive, but can’t answer'}
        </Button>
      </div>
    </Card>
  );
}
