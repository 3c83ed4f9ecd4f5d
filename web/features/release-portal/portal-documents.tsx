import type { Portal } from '#shared/contract/release/portal.ts';
import { portalDocumentsPerPage } from '#shared/rules/release-answers.ts';
import { Icon } from '#web/components/ui/icon.tsx';
import { addressOf } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { sizeAndKind } from '#web/lib/file-words.ts';
import { isoDay, longDate } from '#web/lib/format.ts';
import { ownerFirstName } from './portal-words.ts';

/** Leads to the owner's page for the first weeks, for as long as this contact may read it. */
export function PortalFirstWeeks({ portal }: { portal: Portal }) {
  const { hasFirstWeeks, documentsUntil, token } = portal;
  if (!hasFirstWeeks || documentsUntil === null) return null;
  return (
    <section aria-labelledby="portal-weeks">
      <h2 className="h-card below-1" id="portal-weeks">
        The first weeks
      </h2>
      <p className="below-1">
        {ownerFirstName(portal)} chose you to read this: what to do in the first month, and where things are. You can
        read it here until <time dateTime={isoDay(documentsUntil)}>{longDate(documentsUntil)}</time>.
      </p>
      <a className="btn btn-2" href={`/trusted-contact-admin/${token}/first-weeks`}>
        Read the page
      </a>
    </section>
  );
}

/** Documents that the owner made visible: named before a release, to be downloaded for a while after it. */
export function PortalDocuments({ portal }: { portal: Portal }) {
  const { documents, documentsUntil, token } = portal;
  if (portal.documentCount === 0) return null;
  const canDownload = documentsUntil !== null && new Date(documentsUntil).getTime() > Date.now();
  return (
    <section aria-labelledby="portal-documents">
      <h2 className="h-card below-1" id="portal-documents">
        Documents from {ownerFirstName(portal)}
      </h2>
      <p className="quiet below-1">
        {documentsUntil === null ? (
          'You can download them here once the messages are delivered.'
        ) : (
          <>
            {canDownload ? 'You can download them until ' : 'They could be downloaded until '}
            <time dateTime={isoDay(documentsUntil)}>{longDate(documentsUntil)}</time>.
          </>
        )}
      </p>
      <ul className="portal-docs">
        {documents.map((document) => (
          <li key={document.id}>
            <span dir="auto">{document.name}</span>
            <span className="small quiet">{sizeAndKind(document)}</span>
            {canDownload ? (
              <a
                className="btn btn-2 btn-small"
                href={addressOf(light.downloadPortalDocument, { params: { token, id: document.id } })}
                download
              >
                <Icon name="download" />
                Download <span className="vh">{document.name}</span>
              </a>
            ) : null}
          </li>
        ))}
      </ul>
      <FurtherDocuments {...portal} />
    </section>
  );
}

/** Links to the documents before and after the listed ones, if the list is only a part. */
function FurtherDocuments({ documents, documentCount, documentsFrom }: Portal) {
  if (documents.length === documentCount) return null;
  const last = documentsFrom + documents.length;
  return (
    <p className="small">
      These are documents {documentsFrom + 1} to {last} of {documentCount.toLocaleString('en-GB')}.{' '}
      {documentsFrom > 0 ? (
        <a href={documentsHref(Math.max(0, documentsFrom - portalDocumentsPerPage))}>Newer documents</a>
      ) : null}{' '}
      {last < documentCount ? <a href={documentsHref(last)}>Older documents</a> : null}
    </p>
  );
}

function documentsHref(from: number): string {
  return `?documents=${from}#portal-documents`;
}
