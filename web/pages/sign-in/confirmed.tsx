import { useSearch } from 'wouter';
import { productName } from '#shared/product.ts';
import { readExternalError } from '#shared/rules/identity-providers.ts';
import { useProviderName } from '#web/features/accounts/provider-name.ts';
import { SignInFrame } from '#web/features/accounts/sign-in-frame.tsx';

/** End of a tab in which a provider confirmed the person. The asking page is in another tab. */
export function ConfirmedPage() {
  const error = new URLSearchParams(useSearch()).get('error');
  if (error !== null) return <NotConfirmed error={error} />;
  return (
    <SignInFrame title="Confirmed" heading="Thank you, that is confirmed" offers="none">
      <p>Close this tab and go back to the one you came from. Everything there is as you left it.</p>
    </SignInFrame>
  );
}

function NotConfirmed({ error }: { error: string }) {
  const failure = readExternalError(error);
  const name = useProviderName(failure?.slug ?? null);
  if (failure?.why === 'old') {
    return (
      <SignInFrame
        title="Error: Not confirmed"
        heading={`Your sign-in at ${name ?? 'the other service'} is too old`}
        offers="none"
      >
        <p>
          {name ?? 'The other service'} did not tell us that you typed your password there in the last ten minutes, so
          nothing was changed. Sign out of {name ?? 'it'} in this browser, go back to the tab you came from, and try
          again there.
        </p>
        <p className="quiet">Or confirm with a passkey, or set a password for {productName} and confirm with that.</p>
      </SignInFrame>
    );
  }
  return (
    <SignInFrame
      title="Error: Not confirmed"
      heading={`${name ?? 'The other service'} did not confirm that it is you`}
      offers="none"
    >
      <p>Nothing was changed. Close this tab, go back to the one you came from, and try again there.</p>
      <p className="quiet">Choose the account there that you sign in to {productName} with.</p>
    </SignInFrame>
  );
}
