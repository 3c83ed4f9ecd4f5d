import type { FormEvent } from 'react';
import type { SandboxCard } from '#shared/contract/billing.ts';
import { plans } from '#shared/rules/plans.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button, ButtonLink } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { useSentFields } from '#web/lib/api/sent-answers.ts';
import { cardBrand, money } from '#web/lib/format.ts';
import { type SandboxCheckout, usePaying } from './use-sandbox-checkout.ts';

const termWords = { monthly: 'every month', annual: 'every year', once: 'once' } as const;

/** A checkout as a provider's would look, with cards that behave in known ways. */
export function CheckoutForm({ token, checkout }: { token: string; checkout: SandboxCheckout }) {
  const { isBusy, failure, pay } = usePaying(token);
  const { card: sentCard = checkout.cards[0]?.card } = useSentFields();
  const isPayment = checkout.purpose === 'payment';
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    pay(new FormData(event.currentTarget).get('card') as SandboxCard);
  };
  return (
    <Card as="section" className="checkout-page" aria-labelledby="sandbox-sum">
      <h2 className="h-card" id="sandbox-sum">
        {isPayment ? `${plans[checkout.plan].title}, ${termWords[checkout.term]}` : 'Another card'}
      </h2>
      {isPayment ? <Sum checkout={checkout} /> : null}
      <p className="quiet">
        For <bdi className="whole">{checkout.email}</bdi>
      </p>
      <form className="form" method="post" onSubmit={submit}>
        <fieldset className="ways">
          <legend className="label">Practice card</legend>
          {checkout.cards.map((option) => (
            <label key={option.card} className="box">
              {/* Uncontrolled, so that a choice made before the scripts ran stays. */}
              <input type="radio" name="card" value={option.card} defaultChecked={option.card === sentCard} />
              <span>
                {cardBrand(option.brand)} ending in {option.last4}
                <br />
                <span className="hint">{option.label}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {failure ? (
          <Banner tone="bad" role="alert">
            {failure}
          </Banner>
        ) : null}
        <div className="btns">
          <Button type="submit" busy={isBusy}>
            {payWords({ isBusy, isPayment, amountPence: checkout.amountPence })}
          </Button>
          <ButtonLink variant="secondary" href={checkout.backTo}>
            Back without paying
          </ButtonLink>
        </div>
      </form>
    </Card>
  );
}

function payWords({ isBusy, isPayment, amountPence }: { isBusy: boolean; isPayment: boolean; amountPence: number }) {
  if (isBusy) return 'One moment…';
  return isPayment ? `Pay ${money(amountPence)} in practice` : 'Use this card';
}

function Sum({ checkout: { listPricePence, amountPence } }: { checkout: SandboxCheckout }) {
  return (
    <p className="price">
      {listPricePence === amountPence ? null : (
        <>
          <s>
            <span className="vh">Instead of </span>
            {money(listPricePence)}
          </s>{' '}
        </>
      )}
      <b>{money(amountPence)}</b>
    </p>
  );
}
