import { useSearch } from 'wouter';
import { productName } from '#shared/product.ts';
import { SignInFrame } from '#web/features/accounts/sign-in-frame.tsx';

/** Where a tab ends in which Google was asked who is there. The page that wanted to know is in another tab. */
export function ConfirmedPage() {
  const error = new URLSearchParams(useSearch()).get('error');
  if (error === 'google_sign_in_old') {
    return (
      <SignInFrame title="Error: Not confirmed" heading="Your sign-in at Google is too old" offers="none">
        <p>
          Google did not tell us that you typed your password there in the last ten minutes, so nothing was changed.
          Sign out of Google in this browser, go back to the tab you came from, and try again there.
        </p>
        <p className="quiet">Or confirm with a passkey, or set a password for {productName} and confirm with that.</p>
      </SignInFrame>
    );
  }
  if (error !== null) {
    return (
      <SignInFrame title="Error: Not confirmed" heading="Google did not confirm that it is you" offers="none">
        <p>Nothing was changed. Close this tab, go back to the one you came from, and try again there.</p>
        <p className="quiet">Choose the Google account that you sign in to {productName} with.</p>
      </SignInFrame>
    );
  }
  return (
    <SignInFrame title="Confirmed" heading="Thank you, that is confirmed" offers="none">
      <p>Close this tab and go back to the one you came from. Everything there is as you left it.</p>
    </SignInFrame>
  );
}
