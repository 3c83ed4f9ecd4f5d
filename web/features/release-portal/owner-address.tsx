import { useState } from 'react';
import type { Portal } from '#shared/contract/release/portal.ts';
import { PressForm, pressName } from '#web/components/layout/press-form.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { TextField } from '#web/components/ui/field.tsx';
import { useSentFields } from '#web/lib/api/sent-answers.ts';
import { useLeaveWarning } from '#web/lib/drafts/leave-warning.ts';
import { useTypedBefore } from '#web/lib/use-typed-before.ts';
import { ownerFirstName } from './portal-words.ts';
import { useOwnerAddress } from './use-owner-address.ts';

/** Asks for another address of an owner whom no reminder reached. Nothing if contacts gave enough, or a reminder arrived. */
export function OwnerAddress({ portal, token }: { portal: Portal; token: string }) {
  const { giving, give } = useOwnerAddress(token);
  if (portal.otherAddress === null || (portal.otherAddress === 'enough' && giving.state === 'idle')) return null;
  const name = ownerFirstName(portal);
  const isGiven = portal.otherAddress === 'given' || giving.state === 'done';
  return (
    <Card as="section" className="answer" aria-labelledby="portal-address">
      <h2 className="h-card" id="portal-address">
        {isGiven ? 'You gave us another address' : `Do you know another email address of ${name}?`}
      </h2>
      {isGiven ? (
        <p role="status">
          {giving.state === 'done'
            ? giving.message
            : `Thank you. If ${name} reads our email there and signs in, this page closes.`}
        </p>
      ) : (
        <AddressForm
          name={name}
          isBusy={giving.state === 'busy'}
          error={giving.state === 'failed' ? giving.message : undefined}
          onGive={give}
        />
      )}
    </Card>
  );
}

type FormProps = { name: string; isBusy: boolean; error: string | undefined; onGive: (address: string) => void };

function AddressForm({ name, isBusy, error, onGive }: FormProps) {
  const [address, setAddress] = useState(useSentFields().address ?? '');
  const field = useTypedBefore<HTMLInputElement>('address', setAddress);
  useLeaveWarning(address.trim() !== '');
  return (
    <>
      <p className="measure">
        {name} may have a new address, and be well. We send one email to the address that you give, and ask {name} to
        sign in. It changes nothing else: no letter goes there, and nothing is sent sooner.
      </p>
      <PressForm className="stack stack-close" onPress={() => onGive(address)}>
        <TextField
          ref={field}
          label={`Email address of ${name} *`}
          hint="You can give one address, so please check it."
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
        <div className="btns btns-stack">
          <Button type="submit" name={pressName} value="owner-address" variant="secondary" busy={isBusy}>
            {isBusy ? 'Giving it…' : 'Give this address'}
          </Button>
        </div>
      </PressForm>
    </>
  );
}
