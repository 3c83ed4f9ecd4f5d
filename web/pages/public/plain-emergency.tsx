import { getAuthUser } from '#shared/contract/accounts.ts';
import { pressEmergency } from '#shared/contract/page-forms.ts';
import { activateEmergency } from '#shared/contract/release/emergency.ts';
import type { RouteResult } from '#shared/contract/route.ts';
import { Footer } from '#web/components/layout/footer.tsx';
import { PublicHeader } from '#web/components/layout/public-header.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { EmergencyFields, sendWords } from '#web/features/emergency/emergency-fields.tsx';
import { failureWords } from '#web/features/emergency/emergency-form.tsx';
import { ApiError } from '#web/lib/api/api.ts';
import { useSent, useSentFields } from '#web/lib/api/sent-answers.ts';
import { useLinkRead } from '#web/lib/api/use-link-read.ts';
import { EmergencyBegin, EmergencyEnd } from './emergency-activation.tsx';

/** The emergency page as the server draws it: a form that a browser posts by itself. */
export function PlainEmergencyPage() {
  const { data: user } = useLinkRead(getAuthUser, undefined);
  const sent = useSent<RouteResult<typeof activateEmergency>>(`POST ${activateEmergency.path}`);
  return (
    <>
      <PublicHeader offers={user ? 'none' : 'both'} />
      {sent?.data ? <EmergencyEnd message={sent.data.message} /> : <PlainForm error={sent?.error ?? null} />}
      <Footer />
    </>
  );
}

function PlainForm({ error }: { error: Error | null }) {
  const fields = useSentFields();
  const issues = error instanceof ApiError ? (error.issues ?? []) : [];
  return (
    <EmergencyBegin hasErrors={error !== null}>
      <Card as="section" aria-label="Your request">
        <form className="emergency-form" noValidate method="post" action={pressEmergency.path}>
          {error && issues.length === 0 ? (
            <Banner tone="bad" role="alert">
              {failureWords(error)}
            </Banner>
          ) : null}
          <EmergencyFields
            bind={(name) => ({ name, defaultValue: fields[name] })}
            errorOf={(name) => issues.find(({ path }) => path === name)?.message}
          />
          <div>
            <Button type="submit">{sendWords}</Button>
          </div>
        </form>
      </Card>
    </EmergencyBegin>
  );
}
