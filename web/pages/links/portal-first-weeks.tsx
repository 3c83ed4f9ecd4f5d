import { useParams } from 'wouter';
import { FirstWeeksSheet } from '#web/components/first-weeks/first-weeks-sheet.tsx';
import { ContactFrame } from '#web/components/layout/contact-frame.tsx';
import { PageHeading } from '#web/components/layout/page.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import { AccessError, PortalSkeleton } from '#web/features/release-portal/portal-states.tsx';
import { deadLinkDetail } from '#web/features/release-portal/portal-words.ts';
import { addressOf } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { useLinkRead } from '#web/lib/api/use-link-read.ts';
import { isFinal } from '#web/lib/api/use-loaded.ts';
import { useTitle } from '#web/lib/use-title.ts';

/** The owner's page for the first weeks, for a contact whom the owner chose, after a release. */
export function PortalFirstWeeksPage() {
  const { token = '' } = useParams<{ token: string }>();
  const { data: page, error, reload } = useLinkRead(light.getPortalFirstWeeks, { token });
  useTitle('The first weeks');
  if (page) {
    return (
      <ContactFrame about="release" onlyFor={page.contactName}>
        <div className="stack stack-close">
          <PageHeading>The first weeks</PageHeading>
          <div className="btns noprint">
            <a className="btn btn-2" href={addressOf(light.copyPortalFirstWeeks, { params: { token } })} download>
              <Icon name="download" />
              Save as PDF
            </a>
            <a className="btn btn-3" href={`/trusted-contact-admin/${token}`}>
              Back to the messages
            </a>
          </div>
        </div>
        <FirstWeeksSheet page={page} />
      </ContactFrame>
    );
  }
  return (
    <ContactFrame about="release">
      {error === null ? <PortalSkeleton /> : null}
      {error && isFinal(error) ? (
        <AccessError message="This page is not here any more, or not yet" detail={deadLinkDetail} />
      ) : null}
      {error && !isFinal(error) ? (
        <AccessError
          message="We could not load this page"
          detail={error.message}
          action={{ label: 'Try again', onPress: reload }}
        />
      ) : null}
    </ContactFrame>
  );
}
