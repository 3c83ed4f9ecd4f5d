import { useSearch } from 'wouter';
import { register } from '#shared/contract/accounts.ts';
import { getAuthProviders } from '#shared/contract/identity.ts';
import { pressRegister } from '#shared/contract/page-forms.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { ChosenPlan } from '#web/features/accounts/chosen-plan.tsx';
import { LoadedProviderLinks } from '#web/features/accounts/provider-links.tsx';
import {
  createWords,
  fieldNames,
  RegisterFields,
  type RegistrablePlan,
  registrablePlan,
} from '#web/features/accounts/register-fields.tsx';
import { messageOf } from '#web/features/accounts/sign-in.ts';
import { StrengthMeter } from '#web/features/accounts/strength-meter.tsx';
import { ApiError } from '#web/lib/api/api.ts';
import { useSent, useSentFields } from '#web/lib/api/sent-answers.ts';
import { useLinkRead } from '#web/lib/api/use-link-read.ts';
import { planInAddress, Registered, RegisterFrame } from './register.tsx';

/** The registration page that the server draws: a form that a browser can post without scripts. */
export function PlainRegisterPage() {
  // The form posts to `pressRegister`. The server then calls `register`, so the result has that name.
  const sent = useSent(`POST ${register.path}`);
  const fields = useSentFields();
  const search = useSearch();
  if (sent && !sent.error) return <Registered email={fields.email ?? ''} />;
  const plan = fields.plan === undefined ? planInAddress(search) : registrablePlan(fields.plan);
  return (
    <RegisterFrame
      hasErrors={sent !== undefined}
      chosen={
        // Without scripts the card could not follow the choice in the form.
        <div className="needs-scripts">
          <ChosenPlan plan={plan} />
        </div>
      }
    >
      <PlainForm plan={plan} error={sent?.error ?? null} />
    </RegisterFrame>
  );
}

function PlainForm({ plan, error }: { plan: RegistrablePlan; error: Error | null }) {
  const { data: providers } = useLinkRead(getAuthProviders, undefined);
  const fields = useSentFields();
  const issues = error instanceof ApiError ? (error.issues ?? []) : [];
  const issueOf = (name: string) => issues.find(({ path }) => path === name)?.message;
  const hasFieldIssue = fieldNames.some((name) => issueOf(name) !== undefined);
  return (
    <form className="form" noValidate method="post" action={pressRegister.path}>
      {error && !hasFieldIssue ? (
        <Banner tone="bad" role="alert">
          {messageOf(error)}
        </Banner>
      ) : null}
      <RegisterFields
        bind={(name) => ({ name, defaultValue: name === 'password' || name === 'confirmPassword' ? '' : fields[name] })}
        errorOf={issueOf}
        meter={<StrengthMeter id="strength" password="" />}
        planField={{ name: 'plan', defaultValue: plan }}
      />
      <Button type="submit" wide>
        {createWords}
      </Button>
      <LoadedProviderLinks verb="Sign up with" plan={plan} providers={providers?.providers ?? []} />
      <p>
        Already have an account? <a href="/login">Sign in here</a>
      </p>
    </form>
  );
}
