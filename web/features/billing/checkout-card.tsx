import { type FormEvent, useId, useState } from 'react';
import { type Billing, type PaymentProviderName, paymentProviderNames } from '#shared/contract/billing.ts';
import { type PlanName, plans } from '#shared/rules/plans.ts';
import type { BillingCycle } from '#shared/rules/prices.ts';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { TextField } from '#web/components/ui/field.tsx';
import { longDate } from '#web/lib/format.ts';
import { toast } from '#web/lib/toast.ts';
import { changeStartWords, freeChangeWords } from './billing-words.ts';
import { type ChoicePrice, isRecurringPlan, priceOfChoice, priceWords, termTitle } from './choice.ts';
import type { Order } from './use-subscribe.ts';
import { useVoucher } from './use-voucher.ts';
import { VoucherBox } from './voucher-box.tsx';

type CheckoutCardProps = {
  plan: PlanName;
  cycle: BillingCycle;
  /** Payment of the present plan; undefined for a visitor. */
  billing: Billing | undefined;
  providers: readonly PaymentProviderName[];
  /** The address of the signed-in person; empty for a visitor. */
  ownEmail: string;
  isBusy: boolean;
  onOrder: (order: Order) => void;
};

/** The chosen plan, its price, and the one button. */
export function CheckoutCard({ plan, cycle, billing, providers, ownEmail, isBusy, onOrder }: CheckoutCardProps) {
  const voucher = useVoucher();
  const [email, setEmail] = useState(ownEmail);
  const [isEmailMissing, setEmailMissing] = useState(false);
  const [provider, setProvider] = useState<PaymentProviderName>();
  const isChange = billing?.can.change === true && isRecurringPlan(plan);
  const price = priceOfChoice({ plan, cycle, discount: voucher.applied });
  if (!price) return null;
  const isVisitor = billing === undefined;
  const isPresent = isChange && isAsItIs(billing, price);
  // A visitor's plan waits for an account with this address, so it is needed even where nothing is to be paid.
  const asksEmail = !isPresent && (price.payablePence > 0 || isVisitor);
  // A voucher for the whole price needs no payment provider.
  const isForSale = price.payablePence === 0 || providers.length > 0;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || isPresent) return;
    // A typed code is applied first, so that no buyer pays more than expected.
    if (voucher.isUnread) return voucher.apply();
    const isMissing = asksEmail && email.trim() === '';
    setEmailMissing(isMissing);
    if (isMissing) {
      toast({ title: 'Email Required', description: emailMissing, variant: 'destructive' });
      return;
    }
    onOrder({
      plan: price.plan,
      cycle,
      payablePence: price.payablePence,
      voucherCode: voucher.applied?.code ?? null,
      email: email.trim(),
      // A plan is changed with its present payment provider.
      provider: (isChange ? payingThrough(billing) : provider) ?? providers[0],
    });
  };
  return (
    <Card as="section" className="checkout" aria-labelledby="checkout">
      <div className="checkout-sum">
        <h2 className="h-card" id="checkout">
          {isPresent ? 'Your plan' : isChange ? 'Your change' : 'Your choice'}
        </h2>
        <Sum price={price} endsAt={isPresent ? billing.endsAt : null} />
        {isChange && !isPresent ? <ChangeWords billing={billing} payablePence={price.payablePence} /> : null}
      </div>
      <div className="checkout-fields">
        <VoucherBox voucher={voucher} />
        <form className="form" noValidate onSubmit={submit}>
          {asksEmail && isForSale ? (
            <EmailField
              email={email}
              isVisitor={isVisitor}
              isMissing={isEmailMissing && email.trim() === ''}
              onChange={setEmail}
            />
          ) : null}
          {!isChange && price.payablePence > 0 ? (
            <ProviderChoice providers={providers} chosen={provider ?? providers[0]} onChoose={setProvider} />
          ) : null}
          {isForSale || isPresent ? (
            <Button type="submit" wide busy={isBusy} disabled={isPresent}>
              {isBusy ? 'One moment…' : buttonWords({ price, isChange, isPresent })}
            </Button>
          ) : null}
        </form>
      </div>
    </Card>
  );
}

const emailMissing = 'Please enter your email address to proceed.';

type EmailFieldProps = { email: string; isVisitor: boolean; isMissing: boolean; onChange: (email: string) => void };

function EmailField({ email, isVisitor, isMissing, onChange }: EmailFieldProps) {
  return (
    <TextField
      label="Email"
      type="email"
      autoComplete="email"
      autoCapitalize="none"
      spellCheck={false}
      value={email}
      readOnly={!isVisitor}
      hint={
        isVisitor
          ? 'The plan waits for an account with this address. You can create it before or after.'
          : 'Your receipts go here.'
      }
      error={isMissing ? emailMissing : undefined}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

function buttonWords({ price, isChange, isPresent }: { price: ChoicePrice; isChange: boolean; isPresent: boolean }) {
  const { title } = plans[price.plan];
  if (isPresent) return 'This is your plan';
  return isChange ? `Change to ${termTitle(price.plan, price.term)}` : `Subscribe to ${title}`;
}

/** @param endsAt when it ends, where it is what they have already and it was cancelled. */
function Sum({ price, endsAt }: { price: ChoicePrice; endsAt: string | null }) {
  const { plan, term, listPence, payablePence } = price;
  return (
    <div aria-live="polite">
      <p>{termTitle(plan, term)}</p>
      <p className="price">
        {payablePence === listPence ? null : (
          <>
            <s>
              <span className="vh">Instead of </span>
              {priceWords(listPence, term)}
            </s>{' '}
          </>
        )}
        <b>{priceWords(payablePence, term)}</b>
      </p>
      <p className="small quiet">{renewalWords(term, endsAt)}</p>
    </div>
  );
}

function renewalWords(term: ChoicePrice['term'], endsAt: string | null): string {
  if (term === 'once') return 'You pay once. There is nothing to cancel.';
  if (endsAt) return `It is cancelled and runs until ${longDate(endsAt)}. You can keep it in Account & Billing.`;
  return `It renews every ${term === 'monthly' ? 'month' : 'year'} until you cancel it in Account & Billing.`;
}

/** True if a choice is what its owner has. The same plan for less, with a voucher, is a change. */
function isAsItIs({ plan, term, pricePence }: Billing, price: ChoicePrice): boolean {
  return plan === price.plan && term === price.term && (pricePence ?? 0) <= price.payablePence;
}

function payingThrough({ provider }: Billing): PaymentProviderName | undefined {
  return paymentProviderNames.find((name) => name === provider);
}

function ChangeWords({ billing, payablePence }: { billing: Billing; payablePence: number }) {
  if (billing.pricePence === null || billing.term === null) return null;
  const start = payablePence === 0 ? freeChangeWords : changeStartWords(billing);
  return (
    <p className="small quiet">
      You pay {priceWords(billing.pricePence, billing.term)} now. {start}
    </p>
  );
}

const providerWords: Record<PaymentProviderName, string> = {
  stripe: 'Card, through Stripe',
  paypal: 'PayPal',
  sandbox: 'Practice checkout',
};

type ProviderChoiceProps = {
  providers: readonly PaymentProviderName[];
  chosen: PaymentProviderName | undefined;
  onChoose: (provider: PaymentProviderName) => void;
};

/** Choice of the payment provider, if there are several. */
function ProviderChoice({ providers, chosen, onChoose }: ProviderChoiceProps) {
  const name = useId();
  if (chosen === 'sandbox') {
    return <p className="hint">This is a trial: no money is taken.</p>;
  }
  if (providers.length < 2) return null;
  return (
    <fieldset className="ways">
      <legend className="label">Pay with</legend>
      {paymentProviderNames
        .filter((provider) => providers.includes(provider))
        .map((provider) => (
          <label key={provider} className="box">
            <input type="radio" name={name} checked={provider === chosen} onChange={() => onChoose(provider)} />
            <span>{providerWords[provider]}</span>
          </label>
        ))}
    </fieldset>
  );
}
