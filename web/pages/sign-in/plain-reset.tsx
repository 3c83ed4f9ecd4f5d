import { useParams } from 'wouter';
import { completeResetPassword } from '#shared/contract/accounts.ts';
import { pressNewPassword } from '#shared/contract/page-forms.ts';
import type { RouteResult } from '#shared/contract/route.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button, ButtonLink } from '#web/components/ui/button.tsx';
import { PasswordField } from '#web/components/ui/field.tsx';
import { isDeadLink } from '#web/features/accounts/dead-link.ts';
import { PasswordChanged } from '#web/features/accounts/password-changed.tsx';
import { SignInFrame } from '#web/features/accounts/sign-in-frame.tsx';
import { ApiError, addressOf } from '#web/lib/api/api.ts';
import { useSent } from '#web/lib/api/sent-answers.ts';

/** The page that the link of a reset leads to, as the server draws it: a form that a browser can post without scripts. */
export function PlainResetPage() {
  const { token = '' } = useParams<{ token: string }>();
  const sent = useSent<RouteResult<typeof completeResetPassword>>(`POST ${completeResetPassword.path}`);
  if (sent?.data) return <PasswordChanged {...sent.data} />;
  const error = sent?.error ?? null;
  const issues = error instanceof ApiError ? (error.issues ?? []) : [];
  const issueOf = (name: string) => issues.find(({ path }) => path === name)?.message;
  const isAboutFields = ['password', 'confirmPassword'].some((name) => issueOf(name) !== undefined);
  if (error && !isAboutFields && isDeadLink(error)) {
    return (
      <SignInFrame
        title="This link no longer works"
        heading="This link no longer works"
        intro="A link works once, for one hour. Ask for a new one and use the newest email."
      >
        <ButtonLink href="/login?reset" wide>
          Reset your password
        </ButtonLink>
      </SignInFrame>
    );
  }
  return (
    <SignInFrame
      title={error ? 'Error: Choose a new password' : 'Choose a new password'}
      heading="Choose a new password"
      intro="It replaces the old one at once."
    >
      <form className="form" method="post" action={addressOf(pressNewPassword, { params: { token } })}>
        <PasswordField
          label="New password"
          name="password"
          required
          autoComplete="new-password"
          error={issueOf('password')}
        />
        <PasswordField
          label="New password again"
          name="confirmPassword"
          required
          autoComplete="new-password"
          error={issueOf('confirmPassword')}
        />
        {error && !isAboutFields ? (
          <Banner tone="bad" role="alert">
            {error.message}
          </Banner>
        ) : null}
        <Button type="submit" wide>
          Save the new password
        </Button>
      </form>
    </SignInFrame>
  );
}
