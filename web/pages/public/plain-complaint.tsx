import { getAuthUser } from '#shared/contract/accounts.ts';
import { sendComplaint } from '#shared/contract/complaints.ts';
import { pressComplaint } from '#shared/contract/page-forms.ts';
import type { RouteResult } from '#shared/contract/route.ts';
import { Footer } from '#web/components/layout/footer.tsx';
import { PublicHeader } from '#web/components/layout/public-header.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { ComplaintFields, sendWords } from '#web/features/privacy/complaint-fields.tsx';
import { failureWords, knownFields } from '#web/features/privacy/complaint-form.tsx';
import { ApiError } from '#web/lib/api/api.ts';
import { useSent, useSentFields } from '#web/lib/api/sent-answers.ts';
import { useLinkRead } from '#web/lib/api/use-link-read.ts';
import { ComplaintBegin, ComplaintEnd } from './complaint.tsx';

/** The page of complaints as the server draws it: a form that a browser posts by itself. */
export function PlainComplaintPage() {
  const { data: user } = useLinkRead(getAuthUser, undefined);
  const sent = useSent<RouteResult<typeof sendComplaint>>(`POST ${sendComplaint.path}`);
  const fields = { ...knownFields(user), ...useSentFields() };
  return (
    <>
      <PublicHeader offers={user ? 'none' : 'both'} />
      {sent?.data ? <ComplaintEnd received={sent.data} /> : <PlainForm fields={fields} error={sent?.error ?? null} />}
      <Footer />
    </>
  );
}

type PlainFormProps = { fields: { name: string; email: string; words?: string | undefined }; error: Error | null };

function PlainForm({ fields, error }: PlainFormProps) {
  const issues = error instanceof ApiError ? (error.issues ?? []) : [];
  return (
    <ComplaintBegin hasErrors={error !== null}>
      <Card as="section" aria-label="Your complaint">
        <form className="complaint-form" noValidate method="post" action={pressComplaint.path}>
          {error && issues.length === 0 ? (
            <Banner tone="bad" role="alert">
              {failureWords(error)}
            </Banner>
          ) : null}
          <ComplaintFields
            bind={(name) => ({ name, defaultValue: fields[name] })}
            errorOf={(name) => issues.find(({ path }) => path === name)?.message}
          />
          <div>
            <Button type="submit">{sendWords}</Button>
          </div>
        </form>
      </Card>
    </ComplaintBegin>
  );
}
