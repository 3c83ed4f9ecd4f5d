import { useParams } from 'wouter';
import { productName } from '#shared/product.ts';
import { Letterhead } from '#web/components/layout/letterhead.tsx';
import { PageHeading } from '#web/components/layout/page.tsx';
import { PressForm } from '#web/components/layout/press-form.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button, ButtonLink } from '#web/components/ui/button.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { CheckoutForm } from '#web/features/sandbox-checkout/checkout-form.tsx';
import { usePaidBefore, useSandboxCheckout } from '#web/features/sandbox-checkout/use-sandbox-checkout.ts';
import { isFinal } from '#web/lib/api/use-loaded.ts';
import { useTitle } from '#web/lib/use-title.ts';
import '#web/features/billing/billing.css';

/** Practice checkout of an installation without payments: shows the sum that would be paid. */
export function SandboxCheckoutPage() {
  const { token = '' } = useParams<{ token?: string }>();
  useTitle('Practice checkout');
  return (
    <Letterhead>
      <PageHeading>Practice checkout</PageHeading>
      <Banner>
        No money moves here. This installation of {productName} has no payment provider, so this page stands in for one,
        and the plan changes as it would.
      </Banner>
      <LinkedCheckout token={token} />
    </Letterhead>
  );
}

function LinkedCheckout({ token }: { token: string }) {
  const { data: checkout, error, reload } = useSandboxCheckout(token);
  const paid = usePaidBefore();
  if (paid) return <Paid {...paid} />;
  if (checkout?.status === 'open') return <CheckoutForm token={token} checkout={checkout} />;
  if (checkout?.status === 'paid') {
    return <Ended title="This has been paid already" href="/account" label="Go to Account & Billing" />;
  }
  if (checkout || (error && isFinal(error))) {
    return <Ended title="This checkout has ended" href="/subscribe" label="Choose a plan" />;
  }
  if (error === null) return <SkeletonRows rows={2} label="Loading the checkout" />;
  return (
    <div className="card empty">
      <h2>We could not load this page</h2>
      <p role="alert">{error.message}</p>
      <PressForm method="get" onPress={reload}>
        <Button type="submit" variant="secondary">
          Try again
        </Button>
      </PressForm>
    </div>
  );
}

/** Result of a payment without scripts. With scripts, the application shows it at the next address. */
function Paid({ message, redirectTo }: { message: string; redirectTo: string }) {
  return (
    <div className="card empty">
      <h2>Thank you</h2>
      <p role="status">{message}</p>
      <ButtonLink href={redirectTo}>Go on</ButtonLink>
    </div>
  );
}

function Ended({ title, href, label }: { title: string; href: string; label: string }) {
  return (
    <div className="card empty">
      <h2>{title}</h2>
      <p>Nothing more happens here.</p>
      <ButtonLink href={href}>{label}</ButtonLink>
    </div>
  );
}
