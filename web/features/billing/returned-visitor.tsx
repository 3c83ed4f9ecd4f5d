import { ButtonLink } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';

/** Next step of a visitor after payment. Also true for a visitor who came to the address without payment. */
export function ReturnedVisitor() {
  return (
    <Card as="section" className="stack" aria-labelledby="returned">
      <h2 className="h-card" id="returned">
        What comes next
      </h2>
      <p>
        If you have just paid, your payment is being taken in. The plan waits for an account with the email address that
        you gave for it, and begins once that address is confirmed. You don’t have to pay again.
      </p>
      <div className="btns">
        <ButtonLink href="/register">Create your account</ButtonLink>
        <ButtonLink href="/login" variant="secondary">
          Sign In
        </ButtonLink>
      </div>
      <p className="quiet">
        If you left without paying, nothing is charged. <a href="/subscribe">Look at the plans again</a>
      </p>
    </Card>
  );
}
